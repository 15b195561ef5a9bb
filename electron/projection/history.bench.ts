import { strict as assert } from 'node:assert'
import { UNITS } from '#shared/projection/units.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { barePage } from '../bench/bare-reads.ts'
import { makeCorpus } from '../bench/bench-corpus.ts'
import { type BenchResult, compare, type Lab, runBench, type TrialArguments } from '../bench/lab.ts'
import { measure, measureBare, type Trial } from '../bench/measure.ts'
import { LiveSessions } from '../session/live-sessions.ts'
import { openStore } from '../store/store-client.ts'
import { createHistory } from './history.ts'
import { ProjectionRegistry } from './registry.ts'

const LENGTHS = [100, 100_000]
/** Holds about fifty messages. */
const PAGE = 200

await runBench(import.meta.url, {
  benchmarks: { 'history/first-page': firstPage },
  trials: {
    page: pageTrial,
    'bare page': async ({ dataFolder, child }) =>
      measureBare(1, barePage(String(dataFolder), String(child), PAGE)),
  },
})

async function* firstPage(lab: Lab): AsyncIterable<BenchResult> {
  for (const length of LENGTHS) {
    const events = lab.size(length, 30)
    const { dataFolder, root } = await makeCorpus(lab.folder, { children: 1, events })
    const args = { dataFolder, child: await onlyChild(dataFolder, root), rows: Math.min(PAGE, events) }
    const trials = await lab.trials('page', args)
    const limits = await lab.trials('bare page', args)
    const what = 'the same rows and the checkpoint by prepared statements and JSON.parse'
    yield compare({
      name: 'history/first-page',
      sizes: { events, page: PAGE },
      trials,
      what,
      limits,
      run: 'first',
    })
  }
}

async function pageTrial({ dataFolder, child, rows }: TrialArguments): Promise<Trial> {
  const { persistence, checkpoints, close } = await openStore({
    dataFolder: String(dataFolder),
    readOnly: true,
  })
  const live = new LiveSessions({ persistence, now: Date.now, onError: fail, onTrouble: () => {} })
  const registry = new ProjectionRegistry(UNITS, fail)
  const history = createHistory({ live, registry, persistence, checkpoints, onError: fail })
  const trial = await measure(1, async () => {
    const page = await history.page(toSessionId(String(child)), { limit: PAGE })
    assert.equal(page.events.length, rows)
    assert.ok(page.snapshot !== null)
  })
  await close()
  return trial
}

async function onlyChild(dataFolder: string, root: string): Promise<string> {
  const store = await openStore({ dataFolder, readOnly: true })
  const { sessions } = await store.persistence.list({ kind: 'children', parent: toSessionId(root) })
  await store.close()
  const [child] = sessions
  if (child === undefined) throw new Error('the corpus has no child')
  return child.header.id
}

function fail(error: unknown): never {
  throw error
}
