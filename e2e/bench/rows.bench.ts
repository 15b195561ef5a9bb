import { strict as assert } from 'node:assert'
import process from 'node:process'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import {
  type BenchResult,
  compare,
  type Lab,
  runBench,
  type TrialArguments,
} from '../../electron/bench/lab.ts'
import { measureBare, type Trial } from '../../electron/bench/measure.ts'
import { createRows } from '../../renderer/features/sidebar/rows.ts'
import { childId, largeState, rootId } from '../../renderer/gallery/large-state.ts'
import { applyFrames } from '../../renderer/store/apply-frames.ts'
import type { State } from '../../renderer/store/state.ts'
import { withEntries } from '../../renderer/store/with-entries.ts'

const TIMES = 60
/** What the bare walk over the same rows is repeated for: once takes less than a clock tells. */
const WALKS = 20

const CHANGES = {
  /** A value that rows show and that moves none of them. */
  value: (seq: number) => [usage(childId(3), seq)],
  '50 sessions in one batch': (seq: number) =>
    Array.from({ length: 50 }, (_, index) => usage(childId(index * 7), seq)),
  'a second line': (seq: number) => outcome(childId(3), seq),
  'another group': (seq: number) => outcome(rootId(70), seq),
} as const satisfies Readonly<Record<string, (seq: number) => Frame[]>>
type Change = keyof typeof CHANGES

await runBench(import.meta.url, {
  benchmarks: { 'ui/rows': rows, 'ui/held': held },
  trials: { rows: rowsTrial, walk: walkTrial, held: heldTrial, text: textTrial },
})

/** From frames to the list of rows: 5,000 sessions, 50,000 children, those of one parent or of all in view. */
async function* rows(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = sizesOf(lab)
  for (const open of ['widest', 'all'] as const) {
    const limits = await lab.trials('walk', { ...sizes, open }, 3)
    for (const change of Object.keys(CHANGES) as Change[]) {
      const trials = await lab.trials('rows', { ...sizes, open, change }, 3)
      yield compare({
        name: 'ui/rows',
        sizes: { ...sizes, open, change },
        trials,
        what: 'one look at each row of the list',
        limits,
        run: 'later',
      })
    }
  }
}

/** What a window holds of children once they are listed: `rssMiB` is the memory that they take, and nothing else. */
async function* held(lab: Lab): AsyncIterable<BenchResult> {
  const sizes = sizesOf(lab)
  const trials = await lab.trials('held', sizes, 3)
  const limits = await lab.trials('text', sizes, 3)
  yield compare({
    name: 'ui/held',
    sizes,
    trials,
    what: 'JSON.parse of the same lists',
    limits,
    run: 'first',
  })
}

function sizesOf(lab: Lab) {
  return { roots: lab.size(5000, 100), children: lab.size(50_000, 1000), widest: lab.size(10_000, 200) }
}

function rowsTrial(args: TrialArguments): Promise<Trial> {
  let state = opened(args)
  const rowsOf = createRows()
  const count = rowsOf(state).length
  assert.ok(count > Number(args['widest']))
  const changes = CHANGES[args['change'] as Change]
  let seq = 0
  const trial = measureBare(TIMES, () => {
    seq += 1
    state = applyFrames(state, changes(seq))
    rowsOf(state)
  })
  assert.equal(Math.abs(rowsOf(state).length - count) <= 2, true)
  return Promise.resolve(trial)
}

function walkTrial(args: TrialArguments): Promise<Trial> {
  const list = createRows()(opened(args))
  let met = 0
  const trial = measureBare(TIMES, () => {
    for (let walk = 0; walk < WALKS; walk += 1) for (const row of list) if (row.key !== '') met += 1
  })
  assert.equal(met, list.length * WALKS * TIMES)
  return Promise.resolve({ ...trial, ms: trial.ms.map(ms => ms / WALKS) })
}

function heldTrial(args: TrialArguments): Promise<Trial> {
  const { state: start, text } = listsIn(args)
  const before = heapMiB()
  let state = start
  const trial = measureBare(1, () => {
    const lists: readonly (readonly [SessionId, readonly SubagentListEntry[]])[] = JSON.parse(text)
    for (const [parent, entries] of lists) state = withEntries(state, parent, entries, state)
  })
  const rssMiB = heapMiB() - before
  assert.equal(state.entries.size, args['children'])
  return Promise.resolve({ ...trial, rssMiB })
}

function textTrial(args: TrialArguments): Promise<Trial> {
  const { text } = listsIn(args)
  const before = heapMiB()
  let parsed: unknown = null
  const trial = measureBare(1, () => {
    parsed = JSON.parse(text)
  })
  const rssMiB = heapMiB() - before
  assert.notEqual(parsed, null)
  return Promise.resolve({ ...trial, rssMiB })
}

/** A window that has listed its roots, and the lists of children as they come over the wire. */
function listsIn(args: TrialArguments): { readonly state: State; readonly text: string } {
  const { lists } = largeState(sizesIn(args))
  const entries = [...lists].map(([parent, list]) => [parent, list.status === 'ready' ? list.entries : []])
  return { state: largeState({ ...sizesIn(args), children: 0 }), text: JSON.stringify(entries) }
}

function opened(args: TrialArguments): State {
  const state = largeState(sizesIn(args))
  const folders = [...state.summaries.values()].map(({ header }) => `folder:${header.cwd}`)
  const expanded = args['open'] === 'all' ? [...state.lists.keys()] : [rootId(0)]
  return { ...state, expanded: new Set(expanded), fullGroups: new Set(folders) }
}

function sizesIn(args: TrialArguments) {
  return { roots: Number(args['roots']), children: Number(args['children']), widest: Number(args['widest']) }
}

function usage(sessionId: SessionId, seq: number): Frame {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null }
  return {
    kind: 'projection',
    sessionId,
    key: 'usage',
    value: { own: { ...none, input: seq }, inherited: none, model: null },
    seq,
  }
}

/** Runs and is done in turns. */
function outcome(sessionId: SessionId, seq: number): Frame[] {
  const kind = seq % 2 === 1 ? 'running' : 'completed'
  return [
    { kind: 'activity', sessionId, activity: 'running' },
    { kind: 'projection', sessionId, key: 'outcome', value: { kind }, seq },
  ]
}

function heapMiB(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}
