import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { logOf } from '#shared/projection/fixtures/unit-log.ts'
import { Fold } from '#shared/projection/fold.ts'
import { defineUnit, type Unit } from '#shared/projection/unit.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import type { Backend } from './backend.ts'
import { databaseFile } from './data-folder.ts'
import { checkpointText } from './encode.ts'
import { answerOf, type DirectStore, directStore, encoded } from './fixtures/direct-store.ts'
import { openSqliteBackend } from './sqlite/sqlite-backend.ts'

/*
 * What a cold read takes from a checkpoint, and from where on it reads the log. Numbers are those of the study's §8.10.
 * On purpose different: reading writes nothing back, what is behind is brought up to date at a start instead (8, 12,
 * 14); rows are dropped one by one, and those that are left are used (9, 10, 11, 15).
 */

const HEADER: SessionHeader = { version: 1, id: toSessionId('s'), createdAt: 5, cwd: '/here' }

/** Says which events it was shown: since its first state, or since the one it was restored with. */
const shown = defineUnit({
  key: 'shown',
  stateVersion: 2,
  stateSchema: z.array(z.number()),
  init: (): number[] => [],
  apply: (state, { seq }) => [...state, seq],
  view: state => state,
  viewSchema: z.array(z.number()),
}) as Unit
const counts = defineUnit({
  key: 'counts',
  stateVersion: 1,
  stateSchema: z.number(),
  init: () => 0,
  apply: state => state + 1,
  view: state => state,
  viewSchema: z.number(),
}) as Unit

let folder: string
let backend: Backend
let ask: DirectStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-cold-'))
  open([shown, counts])
})
afterEach(() => {
  backend.close()
  rmSync(folder, { recursive: true })
})

function open(units: readonly Unit[]): void {
  backend = openSqliteBackend({ dataFolder: folder, units, readOnly: false })
  ask = directStore(backend)
}

function reopen(units: readonly Unit[]): void {
  backend.close()
  open(units)
}

const logOfLength = (length: number): StoredEvent[] => logOf(Array.from({ length }, () => ['x/said', 1]))

function create(length: number): void {
  ask('create', HEADER, encoded(logOfLength(length), 0))
}

/** Of the log's first `end` events, as one of these units and this header would leave it. */
function checkpoint(
  end: number,
  { units = [shown, counts], header = HEADER }: { units?: readonly Unit[]; header?: SessionHeader } = {},
): void {
  const fold = new Fold(units, { ...header })
  for (const event of logOfLength(end)) fold.apply(event)
  write(fold.checkpoint(), header)
}
function write(rows: ReturnType<Fold['checkpoint']>, header = HEADER): void {
  ask('writeCheckpoints', [
    checkpointText({ sessionId: HEADER.id, facts: lifecycleFacts(header), rows, faults: [] }),
  ])
}

/** Nobody can read that event any more: who reads it all the same stops there. */
function breakEvent(seq: number): void {
  edit(`UPDATE event SET data = '{' WHERE seq = ${seq}`)
}
function edit(statement: string): void {
  const db = new Database(databaseFile(folder))
  db.exec(statement)
  db.close()
}

const snapshot = () => ask('snapshot', HEADER.id)
const upTo = (end: number) => Array.from({ length: end }, (_, seq) => seq)

describe('a cold read', () => {
  it('begins behind the lowest row, reads nothing before it and writes nothing (8.10.8, 8.10.12)', () => {
    create(10)
    checkpoint(6)
    breakEvent(2)
    expect(snapshot()).toEqual({ asOfSeq: 9, values: { shown: upTo(10), counts: 10 }, faults: [] })

    const [read] = ask('readCheckpoints', [HEADER.id], ['shown']).sessions
    expect(read).toMatchObject({ asOfSeq: 5, values: { shown: upTo(6) } })
  })

  it('begins at the start for rows of another version of their unit, and only for those (8.10.9)', () => {
    create(10)
    checkpoint(6)
    edit(`UPDATE checkpoint_row SET state_version = 7, state = '[99]' WHERE key = 'shown'`)
    edit(`UPDATE checkpoint_row SET state = '100' WHERE key = 'counts'`)
    expect(snapshot().values).toEqual({ shown: upTo(10), counts: 104 })
    breakEvent(2)
    expect(snapshot().values).toEqual({ shown: [0, 1], counts: 100 })
  })

  it('begins at the start for a log that is shorter than its checkpoint says (8.10.10)', () => {
    create(4)
    write([
      { key: 'shown', stateVersion: 2, seq: 9, state: [99] },
      { key: 'counts', stateVersion: 1, seq: 3, state: 100 },
    ])
    expect(snapshot()).toEqual({ asOfSeq: 3, values: { shown: upTo(4), counts: 100 }, faults: [] })
  })

  it.each([
    ['a state that its schema refuses', `state = '"many"'`],
    ['a state that is not JSON', `state = '[0,'`],
    ['a seq that is none', 'seq = -5'],
  ])('begins at the start for %s (8.10.11)', (_, change) => {
    create(10)
    checkpoint(6)
    edit(`UPDATE checkpoint_row SET ${change} WHERE key = 'shown'`)
    expect(snapshot().values).toEqual({ shown: upTo(10), counts: 10 })
    expect(ask('readCheckpoints', [HEADER.id], ['shown', 'counts']).sessions).toMatchObject([
      { values: { counts: 6 } },
    ])
  })

  it('of a session that nobody knows is refused (8.10.13)', () => {
    const refused = { refused: 'SESSION_NOT_FOUND' }
    expect(answerOf(() => ask('snapshot', 'nobody'))).toEqual(refused)
    expect(answerOf(() => ask('recentSnapshot', 'nobody', 10))).toEqual(refused)
    expect(answerOf(() => ask('inspectFolded', 'nobody'))).toEqual(refused)
    expect(ask('readCheckpoints', [toSessionId('nobody')], ['shown']).sessions).toEqual([]) // 8.10.18
  })

  it('takes nothing of another life of the id, which the next start binds anew (8.10.14)', () => {
    create(4)
    checkpoint(4, { header: { ...HEADER, createdAt: 4 } })
    edit(`UPDATE checkpoint_row SET state = '[99]' WHERE key = 'shown'`)
    expect(snapshot().values['shown']).toEqual(upTo(4))

    ask('catchUpCheckpoints', [HEADER.id])

    const [read] = ask('readCheckpoints', [HEADER.id], ['shown']).sessions
    expect(read).toMatchObject({ facts: lifecycleFacts(HEADER), asOfSeq: 3, values: { shown: upTo(4) } })
  })

  it.each([
    ['the same', { ...HEADER }, [99]],
    ['another', { ...HEADER, cwd: '/there' }, upTo(4)],
    ['none', { version: 1 as const, id: HEADER.id, createdAt: 5 }, upTo(4)],
  ])('takes a checkpoint made in a folder for what it is: %s (8.10.16)', (_, header, values) => {
    create(4)
    checkpoint(4, { header })
    edit(`UPDATE checkpoint_row SET state = '[99]' WHERE key = 'shown'`)
    expect(snapshot().values['shown']).toEqual(values)
  })

  it('has no value of a checkpoint of which no row fits (8.10.15)', () => {
    create(4)
    checkpoint(4)
    edit('UPDATE checkpoint_row SET state_version = 9')
    expect(ask('readCheckpoints', [HEADER.id], ['shown', 'counts']).sessions).toMatchObject([
      { values: {}, asOfSeq: -1 },
    ])
    expect(snapshot().values).toEqual({ shown: upTo(4), counts: 4 })
  })

  it('of values alone is as of the lowest of their rows (8.10.18)', () => {
    create(6)
    write([
      { key: 'shown', stateVersion: 2, seq: 1, state: [0, 1] },
      { key: 'counts', stateVersion: 1, seq: 4, state: 5 },
    ])
    expect(ask('readCheckpoints', [HEADER.id], ['shown', 'counts']).sessions).toMatchObject([
      { asOfSeq: 1, values: { shown: [0, 1], counts: 5 } },
    ])
  })

  it('without any unit says how far the log goes, −1 for an empty one, and refuses a missing one (8.10.17)', () => {
    create(4)
    ask('create', { ...HEADER, id: toSessionId('empty') }, encoded([], 0))
    reopen([])
    expect(snapshot()).toEqual({ asOfSeq: 3, values: {}, faults: [] })
    expect(ask('snapshot', 'empty')).toEqual({ asOfSeq: -1, values: {}, faults: [] })
    expect(answerOf(() => ask('snapshot', 'nobody'))).toEqual({ refused: 'SESSION_NOT_FOUND' })
  })

  it('that would take longer than a page can wait is not made: then it is asked for by itself', () => {
    create(30)
    expect(ask('recentSnapshot', HEADER.id, 29)).toBeNull()
    expect(ask('recentSnapshot', HEADER.id, 30)).toMatchObject({ asOfSeq: 29 })
    checkpoint(20)
    expect(ask('recentSnapshot', HEADER.id, 9)).toBeNull()
    expect(ask('recentSnapshot', HEADER.id, 10)).toMatchObject({ asOfSeq: 29 })
  })

  it('folds with the units that it was given: a new one from the start, a gone one not at all', () => {
    create(4)
    checkpoint(4, { units: [counts] })
    breakEvent(3)
    reopen([shown])
    expect(snapshot().values).toEqual({ shown: [0, 1, 2] })
  })
})
