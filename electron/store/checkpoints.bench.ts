import { statSync } from 'node:fs'
import { bareLogs } from '../bench/bare-reads.ts'
import { makeCorpus } from '../bench/bench-corpus.ts'
import { type BenchResult, compare, type Lab, runBench, type TrialArguments } from '../bench/lab.ts'
import { measure, measureBare, type Trial } from '../bench/measure.ts'
import { databaseFile } from './data-folder.ts'
import { openStore } from './store-client.ts'

const AT_A_TIME = 50
const MIB = 2 ** 20

await runBench(import.meta.url, {
  benchmarks: { 'checkpoint/fill': fill },
  trials: {
    fill: fillTrial,
    'bare logs': async ({ dataFolder, root }) => measureBare(1, bareLogs(String(dataFolder), String(root))),
  },
})

async function* fill(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = { children: lab.size(1000), events: 200 }
  const trials: Trial[] = []
  const limits: Trial[] = []
  for (const seed of [1, 2, 3]) {
    const corpus = await makeCorpus(lab.folder, { ...sizes, checkpoints: false, seed })
    trials.push(...(await lab.trials('fill', corpus, 1)))
    limits.push(...(await lab.trials('bare logs', corpus, 1)))
  }
  const what = 'reading and parsing the same log rows once'
  yield compare({ name: 'checkpoint/fill', sizes, trials, what, limits, run: 'first' })
}

/** Every child's log is folded and its rows are stored, as a start does. Written: what that added to the database. */
async function fillTrial({ dataFolder }: TrialArguments): Promise<Trial> {
  const store = await openStore({ dataFolder: String(dataFolder) })
  const { checkpoints } = store
  const before = sizeOf(String(dataFolder))
  const trial = await measure(1, async () => {
    const ids = await checkpoints.behind()
    for (let at = 0; at < ids.length; at += AT_A_TIME)
      await checkpoints.catchUp(ids.slice(at, at + AT_A_TIME))
  })
  const writtenMiB = (sizeOf(String(dataFolder)) - before) / MIB
  await store.close()
  return { ...trial, writtenMiB }
}

function sizeOf(dataFolder: string): number {
  const file = databaseFile(dataFolder)
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
