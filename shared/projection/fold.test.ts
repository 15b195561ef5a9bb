import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type CheckpointRow, viewCheckpointRow } from './checkpoint-row.ts'
import { logOf } from './fixtures/unit-log.ts'
import { Fold } from './fold.ts'
import { defineUnit, type Unit } from './unit.ts'

/*
 * The one fold authority (contracts §3). Numbers are those of the study's §8.9; units that break are in
 * `hostile-units.test.ts`. On purpose different: rows that do not fit are dropped instead of refused, and `floor` says
 * from where to read (16, 17, 22).
 */

const CTX = { createdAt: 0 }
const EVENTS = logOf([
  ['x/one', 1],
  ['y', null],
  ['x/two', 2],
])

/** Counts events whose type begins with `x`. */
const counter = defineUnit({
  key: 'counter',
  stateVersion: 3,
  stateSchema: z.number(),
  init: () => 0,
  apply: (state, event) => (String(event.type).startsWith('x') ? state + 1 : state),
  view: state => ({ count: state }),
  viewSchema: z.object({ count: z.number() }),
}) as Unit

const hostOnly: Unit = {
  key: 'hostOnly',
  stateVersion: 1,
  stateSchema: z.array(z.number()),
  init: () => [],
  apply: (state, event) => [...(state as number[]), event.seq],
}

function hostile(change: Partial<Unit>): Unit {
  return { ...counter, key: 'hostile', ...change }
}

function foldOf(units: readonly Unit[], events = EVENTS): Fold {
  const fold = new Fold(units, CTX)
  for (const event of events) fold.apply(event)
  return fold
}

const throws = (words: string) => () => {
  throw new Error(words)
}

describe('a fold', () => {
  it('gives the views of all published keys as of its last event (8.9.1, 8.9.6, 8.9.13)', () => {
    const fold = foldOf([counter, hostOnly])

    expect(fold.snapshot()).toEqual({ asOfSeq: 2, values: { counter: { count: 2 } }, faults: [] })
    expect(fold.stateOf('hostOnly')).toEqual([0, 1, 2])
    expect(fold.valueOf('nobody')).toBeUndefined()
    expect(fold.stateOf('nobody')).toBeUndefined()
  })

  it('of an empty log gives the first views, as of −1 (8.9.3)', () => {
    expect(foldOf([counter], []).snapshot()).toEqual({
      asOfSeq: -1,
      values: { counter: { count: 0 } },
      faults: [],
    })
  })

  it('names the keys that an event changed, and none for one that interests nobody (8.9.4)', () => {
    const fold = new Fold([counter, hostOnly], CTX)
    expect(EVENTS.map(event => fold.apply(event))).toEqual([
      ['counter', 'hostOnly'],
      ['hostOnly'],
      ['counter', 'hostOnly'],
    ])
  })

  it('takes no event twice', () => {
    const fold = foldOf([counter])
    expect(EVENTS.flatMap(event => fold.apply(event))).toEqual([])
    expect(fold.valueOf('counter')).toEqual({ count: 2 })
  })

  it('reads one key without running the view of another', () => {
    const fold = foldOf([counter, hostile({ view: throws('looked at') })])
    expect(fold.valueOf('counter')).toEqual({ count: 2 })
    expect(fold.faults()).toEqual([])
  })
})

describe('a restored fold', () => {
  const row = (change: Partial<CheckpointRow> = {}): CheckpointRow => ({
    key: 'counter',
    stateVersion: 3,
    seq: 1,
    state: 40,
    ...change,
  })

  it('goes on from a row that fits (8.9.18)', () => {
    const fold = Fold.restore([counter], CTX, [row()], 2)
    expect(fold.floor).toBe(2)
    expect(fold.asOfSeq).toBe(1)

    for (const event of EVENTS) fold.apply(event)

    expect(fold.valueOf('counter')).toEqual({ count: 41 })
  })

  it.each([
    ['another state version', { stateVersion: 2 }],
    ['a state that its schema refuses', { state: 'forty' }],
    ['a seq past the log’s end', { seq: 3 }],
    ['a seq that is none', { seq: Number.NaN }],
    ['a seq before any', { seq: -2 }],
    ['an unknown key', { key: 'nobody' }],
  ])('begins anew for %s (8.9.16, 8.9.17, 8.9.21, 8.9.22)', (_, change) => {
    const fold = Fold.restore([counter], CTX, [row(change)], 2)
    expect(fold.floor).toBe(0)
    expect(fold.asOfSeq).toBe(-1)
  })

  it('begins anew when the state schema itself throws', () => {
    const broken = { ...counter, stateSchema: z.custom(throws('schema')) }
    expect(Fold.restore([broken], CTX, [row()], 2).floor).toBe(0)
  })

  it('reads from the lowest of its rows, and feeds each unit only what it has not seen', () => {
    const other = { ...counter, key: 'other' }
    const fold = Fold.restore([counter, other], CTX, [row({ seq: 2 }), row({ key: 'other', seq: 0 })], 2)
    expect(fold.floor).toBe(1)

    for (const event of EVENTS.slice(1)) fold.apply(event)

    expect(fold.snapshot().values).toEqual({ counter: { count: 40 }, other: { count: 41 } })
  })

  it('of a checkpoint before any event has rows at −1 (8.9.14)', () => {
    const rows = foldOf([counter, hostOnly], []).checkpoint()
    expect(rows).toEqual([
      { key: 'counter', stateVersion: 3, seq: -1, state: 0 },
      { key: 'hostOnly', stateVersion: 1, seq: -1, state: [] },
    ])
    expect(Fold.restore([counter, hostOnly], CTX, rows, 2).floor).toBe(0)
  })
})

describe('the view of one stored row', () => {
  const row: CheckpointRow = { key: 'counter', stateVersion: 3, seq: 1, state: 40 }

  it('is there without a fold, and absent for what does not fit (8.9.19, 8.9.20, 8.9.21)', () => {
    expect(viewCheckpointRow(counter, row)).toEqual({ count: 40 })
    expect(viewCheckpointRow(counter, { ...row, stateVersion: 4 })).toBeUndefined()
    expect(viewCheckpointRow(counter, { ...row, state: null })).toBeUndefined()
    expect(
      viewCheckpointRow(hostOnly, { ...row, key: 'hostOnly', stateVersion: 1, state: [] }),
    ).toBeUndefined()
    expect(viewCheckpointRow(hostile({ view: throws('no') }), row)).toBeUndefined()
  })
})
