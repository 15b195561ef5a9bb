import { strict as assert } from 'node:assert'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { FACT_KEYS } from '#shared/subagent/facts.ts'
import { bareHeaders, bareListing, bareLogs, bareTree } from '../../bench/bare-reads.ts'
import { makeCorpus } from '../../bench/bench-corpus.ts'
import { type BenchResult, compare, type Lab, runBench, type TrialArguments } from '../../bench/lab.ts'
import { measure, measureBare, type Trial } from '../../bench/measure.ts'
import { ProjectionRegistry } from '../../projection/registry.ts'
import { LiveSessions } from '../../session/live-sessions.ts'
import { openStore, type Store } from '../../store/store-client.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { listTrial } from './fixtures/list-trial.ts'
import { listChildren } from './list-children.ts'

const REPEATED = 10
const WITH_FACTS = { with: ['facts' as const] }

await runBench(import.meta.url, {
  benchmarks: {
    'catalog/checkpointed': checkpointed,
    'catalog/folded': folded,
    'catalog/live': live,
    'catalog/deep': deep,
  },
  trials: {
    children: listTrial,
    live: liveTrial,
    'bare children': async args =>
      measureBare(REPEATED + 1, bareListing(String(args.dataFolder), String(args.root))),
    'bare tree': async args =>
      measureBare(REPEATED + 1, bareTree(String(args.dataFolder), String(args.root))),
    'bare logs': async args => measureBare(5, bareLogs(String(args.dataFolder), String(args.root))),
  },
})

async function* checkpointed(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = { children: lab.size(1000), events: 200, unrelated: lab.size(10_000) }
  const corpus = await makeCorpus(lab.folder, sizes)
  const what = 'the same columns by one prepared statement and JSON.parse'
  const args = { ...corpus, children: sizes.children, descendants: false, times: REPEATED + 1 }
  const trials = await lab.trials('children', args)
  const limits = await lab.trials('bare children', corpus)
  const name = 'catalog/checkpointed'
  yield compare({ name, sizes: { ...sizes, process: 'fresh' }, trials, what, limits, run: 'first' })
  yield compare({ name, sizes: { ...sizes, process: 'repeated' }, trials, what, limits, run: 'later' })
}

async function* folded(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = { children: lab.size(1000), events: 200 }
  const corpus = await makeCorpus(lab.folder, { ...sizes, checkpoints: false, seed: 2 })
  const args = { ...corpus, children: sizes.children, descendants: false, times: 5 }
  const trials = await lab.trials('children', args, 3)
  const limits = await lab.trials('bare logs', corpus, 3)
  const what = 'reading and parsing the same log rows once'
  const name = 'catalog/folded'
  yield compare({ name, sizes: { ...sizes, process: 'fresh' }, trials, what, limits, run: 'first' })
  yield compare({ name, sizes: { ...sizes, process: 'repeated' }, trials, what, limits, run: 'later' })
}

async function* deep(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = { nodes: lab.size(10_000, 12), levels: 12, events: 12 }
  const corpus = await makeCorpus(lab.folder, {
    children: sizes.nodes,
    events: sizes.events,
    depth: sizes.levels,
  })
  const args = { ...corpus, children: sizes.nodes, descendants: true, times: 3 }
  const trials = await lab.trials('children', args, 3)
  const limits = await lab.trials('bare tree', corpus, 3)
  const what = 'the same columns by one recursive statement and JSON.parse'
  yield compare({ name: 'catalog/deep', sizes, trials, what, limits, run: 'first' })
}

async function* live(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = { children: lab.size(500), events: 200 }
  const corpus = await makeCorpus(lab.folder, { ...sizes, seed: 3 })
  const trials = await lab.trials('live', { ...corpus, children: sizes.children, bare: false }, 3)
  const limits = await lab.trials('live', { ...corpus, children: sizes.children, bare: true }, 3)
  const what = 'one prepared statement for the headers, and reading the values of the same folds'
  yield compare({ name: 'catalog/live', sizes, trials, what, limits, run: 'later' })
}

/** All children of a root made live. Their logs must not be read by a listing. */
async function liveTrial({ dataFolder, root, children, bare }: TrialArguments): Promise<Trial> {
  const store = await openStore({ dataFolder: String(dataFolder) })
  const { sessions, registry } = await hostChildren(store, String(root))
  let logReads = 0
  const persistence = {
    ...store.persistence,
    inspectFolded: (...args: Parameters<Store['persistence']['inspectFolded']>) => {
      logReads += 1
      return store.persistence.inspectFolded(...args)
    },
  }
  const deps: CatalogDeps = { sessions, registry, persistence, checkpoints: store.checkpoints }
  const ids = sessions.list().map(({ id }) => id)
  const readHeaders = bareHeaders(String(dataFolder), String(root))
  const readAll = () => {
    assert.equal(readHeaders(), children)
    for (const id of ids) for (const key of ['subagent', ...FACT_KEYS]) registry.valueOf(id, key)
  }
  const trial = bare
    ? measureBare(REPEATED + 1, readAll)
    : await measure(REPEATED + 1, async () => {
        const rows = await listChildren(deps, toSessionId(String(root)), WITH_FACTS)
        assert.equal(rows.length, children)
      })
  assert.equal(logReads, 0)
  await store.close()
  return trial
}

async function hostChildren({ persistence }: Store, root: string) {
  const sessions = new LiveSessions({ persistence, now: Date.now, onError: fail, onTrouble: () => {} })
  const registry = new ProjectionRegistry(UNITS, fail)
  registry.follow(sessions)
  const { sessions: stored } = await persistence.list({ kind: 'children', parent: toSessionId(root) })
  for (const { header } of stored) await host(header)
  return { sessions, registry }

  async function host(header: SessionHeader): Promise<void> {
    const events: readonly StoredEvent[] = await persistence.readFrom(header.id, 0, 100_000)
    sessions.adopt({ header, events, checkpoint: [], waitingForApproval: false })
  }
}

function fail(error: unknown): never {
  throw error
}
