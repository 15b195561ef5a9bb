import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bareListing, bareLogs } from '../../bench/bare-reads.ts'
import { makeCorpus } from '../../bench/bench-corpus.ts'
import { type BenchResult, compare, type Lab, runBench } from '../../bench/lab.ts'
import { measureBare } from '../../bench/measure.ts'
import { listTrial } from './fixtures/list-trial.ts'

/*
 * How the cost of a listing grows with its children, with the length of their logs and with sessions that have nothing
 * to do with it. One at a time around a middle: the whole product would hold 20 million events in one of its corners.
 * `npm run scaling` makes the page in docs/ out of it.
 */

interface Cell {
  readonly children: number
  readonly events: number
  readonly unrelated: number
}

const MIDDLE: Cell = { children: 1000, events: 200, unrelated: 10_000 }
const CELLS: readonly Cell[] = [
  MIDDLE,
  ...[10, 100, 10_000].map(children => ({ ...MIDDLE, children })),
  ...[20, 2000].map(events => ({ ...MIDDLE, events })),
  ...[0, 20_000, 100_000].map(unrelated => ({ ...MIDDLE, unrelated })),
]
const PROCESSES = 5
const REPEATED = 6
/** Folding takes seconds in the largest cells. */
const FOLDING_PROCESSES = 3

await runBench(import.meta.url, {
  benchmarks: { 'catalog/scaling': scaling },
  onlyWhenNamed: ['catalog/scaling'],
  trials: {
    list: listTrial,
    'bare rows': async ({ dataFolder, root }) =>
      measureBare(REPEATED, bareListing(String(dataFolder), String(root))),
    'bare logs': async ({ dataFolder, root }) => measureBare(1, bareLogs(String(dataFolder), String(root))),
  },
})

async function* scaling(lab: Lab): AsyncIterable<BenchResult> {
  for (const cell of CELLS) {
    const sizes: Cell = {
      children: lab.size(cell.children),
      events: cell.events,
      unrelated: lab.size(cell.unrelated, 0),
    }
    const folder = join(lab.folder, `${cell.children}-${cell.events}-${cell.unrelated}`)
    const corpus = await makeCorpus(folder, sizes)
    const args = { ...corpus, children: sizes.children }
    const name = 'catalog/scaling'

    const listed = await lab.trials('list', { ...args, times: REPEATED }, PROCESSES)
    const rows = {
      what: 'one statement and JSON.parse',
      limits: await lab.trials('bare rows', corpus, PROCESSES),
    }
    for (const run of ['first', 'later'] as const) {
      const from = run === 'first' ? 'checkpoints, fresh' : 'checkpoints'
      yield compare({ name, sizes: { ...sizes, from }, trials: listed, ...rows, run })
    }

    const times = FOLDING_PROCESSES
    const folded = await lab.trials('list', { ...args, times: 1, ignoreCheckpoints: true }, times)
    const logs = {
      what: 'reading and parsing the logs',
      limits: await lab.trials('bare logs', corpus, times),
    }
    yield compare({ name, sizes: { ...sizes, from: 'logs' }, trials: folded, ...logs, run: 'first' })
    await rm(folder, { recursive: true })
  }
}
