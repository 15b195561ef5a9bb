import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../session/events.ts'
import { viewCheckpointRow } from './checkpoint-row.ts'
import {
  answers,
  asks,
  calls,
  continuable,
  type Logged,
  logOf,
  person,
  queues,
  results,
  starts,
} from './fixtures/unit-log.ts'
import { Fold } from './fold.ts'
import { UNITS, type UnitKey } from './units.ts'

/* What holds for each unit of Espalier by itself (contracts §3); the page of rules of each is beside it. */

const CTX = { createdAt: 0 }
const USAGE = { input: 1, output: 1, costUsd: 0.1 }

/** A turn in which every unit has something to say. */
const BUSY: readonly Logged[] = [
  continuable('Audit'),
  ['request/header', { route: { provider: 'p', model: 'm' }, system: '', tools: [] }],
  queues('later'),
  starts(),
  person('Look at the parser'),
  answers('On it', { usage: USAGE, model: { provider: 'p', model: 'm' } }),
  calls('c1'),
  results('c1', { files: ['a.ts'] }),
  ['todo/write', { items: [{ content: 'Read', status: 'pending' }] }],
  asks('q1'),
]

/** States as another version, a bug or a broken disk might leave them. Complete by its type. */
const REFUSED: Readonly<Record<UnitKey, readonly unknown[]>> = {
  subagent: [
    null,
    { identity: null, own: 0 },
    { identity: { mode: 'continuable', seq: 1 }, own: 1, absence: null },
  ],
  subagentTiming: [null, { settledMs: '1', open: null }, { settledMs: 1, open: { since: 1 } }],
  outcome: [null, { turn: { kind: 'done' }, asked: [], children: [], queued: [] }, { turn: null, asked: [] }],
  doing: [null, { since: null }, { since: 1, calls: [{ id: 'c' }] }],
  title: ['Title', { given: 1, first: null }, { given: null }],
  usage: [null, { own: {}, inherited: {}, context: null, model: null }],
  lastMessage: [{}, 'text', { seq: 1, time: 1, author: 'tool', excerpt: '' }],
  todos: [null, [{ content: 'Read', status: 'later' }], ['Read']],
  approvals: [null, [{ approvalId: 'q' }], {}],
  files: [null, [1], 'a.ts'],
  inbox: [null, [{ messageId: 'm', mode: 'queue' }], {}],
  identityRecord: [
    null,
    { descriptor: null, route: null },
    { descriptor: {}, route: null, approvalMode: 'ask' },
  ],
  turns: [null, { own: 1, latest: 1 }, { own: '1', latest: 1, endSeq: null }],
}

function foldOf(items: readonly Logged[]): Fold {
  const fold = new Fold(UNITS, { ...CTX })
  for (const event of logOf(items)) fold.apply(event)
  return fold
}

describe.each(UNITS.map(unit => [unit.key, unit] as const))('the unit %s', (key, unit) => {
  it('says of which version its states are, which events interest it, and what it publishes', () => {
    expect(unit.stateVersion).toBeGreaterThan(0)
    expect(unit.on?.length).toBeGreaterThan(0)
    for (const type of unit.on ?? []) expect(EVENT_TYPES).toContain(type)
    expect(unit.view).toBeDefined()
    expect(unit.viewSchema).toBeDefined()
  })

  it('has something to say of a busy turn, and its state and value pass their schemas', () => {
    const fold = foldOf(BUSY)
    expect(fold.stateOf(key)).not.toEqual(unit.init())
    expect(unit.stateSchema.safeParse(fold.stateOf(key)).success).toBe(true)
    expect(unit.viewSchema?.safeParse(fold.valueOf(key)).success).toBe(true)
    expect(fold.faults()).toEqual([])
  })

  it('goes on from its own state as it comes back from disk, and shows the same value', () => {
    const fold = foldOf(BUSY)
    const rows = JSON.parse(JSON.stringify(fold.checkpoint()))
    const row = rows.find((one: { key: string }) => one.key === key)
    expect(Fold.restore([unit], CTX, rows, BUSY.length - 1).stateOf(key)).toEqual(fold.stateOf(key))
    expect(viewCheckpointRow(unit, row)).toEqual(fold.valueOf(key))
    expect(viewCheckpointRow(unit, { ...row, stateVersion: unit.stateVersion - 1 })).toBeUndefined()
  })

  it('takes no state that its schema refuses, and begins anew instead', () => {
    for (const state of REFUSED[key as UnitKey]) {
      const row = { key, stateVersion: unit.stateVersion, seq: 3, state }
      const restored = Fold.restore([unit], CTX, [row], 5)
      expect(restored.floor, JSON.stringify(state)).toBe(0)
      expect(restored.stateOf(key)).toEqual(unit.init())
      expect(viewCheckpointRow(unit, row)).toBeUndefined()
    }
  })
})
