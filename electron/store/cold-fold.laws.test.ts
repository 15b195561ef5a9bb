import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckpointRow } from '#shared/projection/checkpoint-row.ts'
import { anyLog } from '#shared/projection/fixtures/any-log.ts'
import { Fold, type FoldSnapshot } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import { closersOf, type Draft } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { coldOutcome, outcomeSchema } from '#shared/session/outcome.ts'
import type { Backend } from './backend.ts'
import { checkpointText } from './encode.ts'
import { type DirectStore, directStore, encoded } from './fixtures/direct-store.ts'
import { sessionsFolder } from './jsonl/format.ts'
import { openJsonlBackend } from './jsonl/jsonl-backend.ts'
import { makeSessionsFolder } from './jsonl/make-format.ts'
import { openSqliteBackend } from './sqlite/sqlite-backend.ts'

/*
 * What is folded cold (contracts §3): the stored events and the closers, whatever the log, whoever wrote its
 * checkpoint and wherever that ends. The other side of each comparison is one fold over everything, in memory.
 */

const backends: Readonly<Record<string, (dataFolder: string) => Backend>> = {
  'a database': dataFolder => openSqliteBackend({ dataFolder, units: UNITS, readOnly: false }),
  files: dataFolder => {
    makeSessionsFolder(sessionsFolder(dataFolder), 'text')
    return openJsonlBackend({ dataFolder, units: UNITS, readOnly: false })
  },
}

/** Also of what is left open: most logs end in the middle of a turn, and some in the middle of a message. */
const anyDraft: fc.Arbitrary<Draft | null> = fc.option(
  fc.record({
    id: fc.constantFrom('a', 'b', 'fresh'),
    turn: fc.integer({ min: 1, max: 4 }),
    step: fc.constant(1),
    content: fc.constant([{ type: 'text' as const, text: 'so far' }]),
    model: fc.constant(null),
  }),
)
const opening: StoredEvent = { seq: 0, time: 7, type: 'turn/start', data: { turn: 1 } }
/** As disk gives it. Half of them are turns that begin at once, so that most of what is in them is owed something. */
const storedLog: fc.Arbitrary<StoredEvent[]> = fc
  .tuple(fc.boolean(), anyLog)
  .map(([isTurn, events]) => (isTurn ? [opening, ...events] : events))
  .map(events =>
    (JSON.parse(JSON.stringify(events)) as StoredEvent[]).filter(({ data }) => data !== undefined),
  )
  .map(events => events.map((event, seq) => ({ ...event, seq })))

const anyCase = fc.record({
  events: storedLog,
  draft: anyDraft,
  seedLength: fc.option(fc.nat({ max: 12 })),
  /** Where each unit's row ends. */
  cuts: fc.array(fc.nat({ max: 45 }), { minLength: UNITS.length, maxLength: UNITS.length }),
})

function foldOf(header: SessionHeader, events: readonly StoredEvent[]): Fold {
  const fold = new Fold(UNITS, header)
  for (const event of events) fold.apply(event)
  return fold
}

/** Everything by one fold: the log, then what would close it. Nothing in it looks alive. */
function expected(header: SessionHeader, events: readonly StoredEvent[], draft: Draft | null): FoldSnapshot {
  const time = events.at(-1)?.time ?? 0
  const closers = closersOf(events, draft).map((closer, index) => ({
    seq: events.length + index,
    time,
    ...closer,
  }))
  const snapshot = foldOf(header, [...events, ...closers]).snapshot()
  const outcome = outcomeSchema.nullable().parse(snapshot.values['outcome'])
  return {
    ...snapshot,
    values: { ...snapshot.values, outcome: outcome === null ? null : coldOutcome(outcome) },
  }
}

function rowsUpTo(
  header: SessionHeader,
  events: readonly StoredEvent[],
  cuts: readonly number[],
): CheckpointRow[] {
  return UNITS.map(({ key }, index) => {
    const row = foldOf(header, events.slice(0, cuts[index] ?? 0))
      .checkpoint()
      .find(one => one.key === key)
    if (row === undefined) throw new Error(`no row for ${key}`)
    return row
  })
}

describe.each(Object.keys(backends))('a cold fold of sessions in %s', name => {
  let folder: string
  let backend: Backend
  let ask: DirectStore
  let count = 0

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-cold-fold-'))
    const open = backends[name]
    if (open === undefined) throw new Error(`no backend ${name}`)
    backend = open(folder)
    ask = directStore(backend)
  })
  afterAll(() => {
    backend.close()
    rmSync(folder, { recursive: true })
  })

  function store({
    events,
    draft,
    seedLength,
  }: {
    events: StoredEvent[]
    draft: Draft | null
    seedLength: number | null
  }) {
    count += 1
    const header: SessionHeader = {
      version: 1,
      id: toSessionId(`s${count}`),
      createdAt: count,
      ...(seedLength !== null && { parentSession: toSessionId('parent'), seedLength }),
    }
    ask('create', header, encoded(events, 0))
    if (draft !== null) ask('saveDrafts', [{ sessionId: header.id, text: JSON.stringify(draft) }])
    return header
  }

  function checkpoint(header: SessionHeader, rows: readonly CheckpointRow[], facts = lifecycleFacts(header)) {
    ask('writeCheckpoints', [checkpointText({ sessionId: header.id, facts, rows, faults: [] })])
  }

  it('is a fold of the log and its closers: with no checkpoint, and with rows that end anywhere', () => {
    fc.assert(
      fc.property(anyCase, ({ events, draft, seedLength, cuts }) => {
        const header = store({ events, draft, seedLength })
        const whole = expected(header, events, draft)

        expect(ask('inspectFolded', header.id).snapshot).toEqual(whole)
        expect(ask('snapshot', header.id)).toEqual(whole)

        checkpoint(header, rowsUpTo(header, events, cuts))
        expect(ask('snapshot', header.id)).toEqual(whole)
        expect(ask('recentSnapshot', header.id, 1000)).toEqual(whole)
        expect(ask('inspectFolded', header.id).snapshot).toEqual(whole)
      }),
      { numRuns: 80 },
    )
  })

  it('is the same after checkpoints were brought up to date, and those hold no closer', () => {
    fc.assert(
      fc.property(anyCase, ({ events, draft, seedLength, cuts }) => {
        const header = store({ events, draft, seedLength })
        checkpoint(header, rowsUpTo(header, events, cuts))

        ask('catchUpCheckpoints', [header.id])

        expect(ask('snapshot', header.id)).toEqual(expected(header, events, draft))
        const [read] = ask('readCheckpoints', [header.id], ['turns', 'title', 'usage', 'files']).sessions
        const { turns, title, usage, files } = foldOf(header, events).snapshot().values
        expect(read).toMatchObject({ asOfSeq: events.length - 1, values: { turns, title, usage, files } })
      }),
      { numRuns: 40 },
    )
  })

  it('takes nothing from a checkpoint that does not fit, whatever it says', () => {
    const misfits = fc.constantFrom('of another life', 'of another version', 'past the end', 'of nonsense')
    fc.assert(
      fc.property(anyCase, misfits, ({ events, draft, seedLength, cuts }, misfit) => {
        const header = store({ events, draft, seedLength })
        // What it says is of another log: were it taken, it would show.
        const other = rowsUpTo(
          header,
          [...events, ...events].map((event, seq) => ({ ...event, seq })),
          cuts,
        )
        const rows = other.map(row => ({
          ...row,
          ...(misfit === 'of another version' && { stateVersion: row.stateVersion + 1 }),
          ...(misfit === 'past the end' && { seq: events.length + 5 }),
          ...(misfit === 'of nonsense' && { state: { nonsense: true } }),
        }))
        const facts = misfit === 'of another life' ? { ...header, createdAt: 0 } : header
        checkpoint(header, rows, lifecycleFacts(facts))

        expect(ask('snapshot', header.id)).toEqual(expected(header, events, draft))
      }),
      { numRuns: 40 },
    )
  })
})
