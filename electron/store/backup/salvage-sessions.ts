import type Database from 'better-sqlite3'
import { isSessionId } from '#shared/session/ids.ts'
import { isSeq } from '../event-rows.ts'
import { scanPages } from './page-scan.ts'
import { isUnreadable } from './unreadable.ts'
import { DAMAGE, upToDamage, walkRows } from './walk-rows.ts'

type Row = Record<string, unknown>

/** A record as far as it could be found: its whole row, or what indexes know of it, or that events of it are there. */
export interface FoundSession {
  readonly key: number
  readonly row: Row
  /** `false`: the row itself could not be read. */
  readonly whole: boolean
}

/**
 * Every session that the damaged database still knows of, by key. Rows first; what is on an unreadable page is
 * found in the indexes, which lie on others; a log without any of that is found by its events.
 */
export function findSessions(bad: Database.Database): FoundSession[] {
  const found = new Map<number, FoundSession>()
  const parts = fromIndexes(bad)
  const known = Math.max(0, ...parts.keys())
  const rowsFrom = bad.prepare<[number, number], Row>(
    'SELECT * FROM session WHERE key >= ? ORDER BY key LIMIT ?',
  )
  for (const row of walkRows(
    (from, limit) => rowsFrom.all(from, limit),
    row => row['key'],
    known + 1,
  )) {
    const key = Number(row['key'])
    if (typeof row['id'] === 'string') found.set(key, { key, row, whole: true })
  }
  for (const [key, row] of parts) {
    if (!found.has(key)) found.set(key, { key, row: asHeader(bad, key, row), whole: false })
  }
  for (const [key, row] of looseRows(bad.name, found)) found.set(key, { key, row, whole: true })
  const most = Math.max(0, ...found.keys())
  for (const key of keysOfLogs(bad, most + 1)) {
    if (found.has(key)) continue
    const row = { id: `recovered-${key}` }
    found.set(key, { key, row: asHeader(bad, key, row), whole: false })
  }
  return [...found.values()].sort((one, other) => one.key - other.key)
}

const COLUMNS = [
  'key',
  'id',
  'version',
  'created_at',
  'cwd',
  'parent_session',
  'seed_length',
  'origin',
  'delegation_depth',
  'preset',
  'end_seq',
  'last_time',
  'cuts',
  'archived',
  'trashed_at',
  'trashed_with',
]

/** Rows on pages that nothing leads to any more, of sessions whose row was not found or of which nothing was. */
function* looseRows(file: string, found: ReadonlyMap<number, FoundSession>): Generator<[number, Row]> {
  const isWhole = found.size > 0 && [...found.values()].every(({ whole }) => whole)
  if (isWhole) return
  for (const { rowid, values } of scanPages(file)) {
    const id = values[1]
    if (rowid === null || values.length !== COLUMNS.length || !isSeq(values[10])) continue
    if (values[0] !== null || typeof id !== 'string' || !isSessionId(id) || found.get(rowid)?.whole === true)
      continue
    yield [rowid, { ...Object.fromEntries(COLUMNS.map((name, index) => [name, values[index]])), key: rowid }]
  }
}

const INDEXES = [
  'SELECT key, id FROM session INDEXED BY sqlite_autoindex_session_1 ORDER BY id',
  'SELECT key, id, created_at FROM session INDEXED BY session_created ORDER BY created_at',
  `SELECT key, id, parent_session, origin, created_at FROM session INDEXED BY session_child
   WHERE parent_session IS NOT NULL ORDER BY parent_session`,
]

function fromIndexes(bad: Database.Database): Map<number, Row> {
  const parts = new Map<number, Row>()
  for (const sql of INDEXES.flatMap(query => [query, `${query} DESC`])) {
    for (const row of upToDamage(() => bad.prepare<[], Row>(sql).iterate())) {
      if (row === DAMAGE) break
      const key = Number(row['key'])
      if (isSeq(key) && typeof row['id'] === 'string') parts.set(key, { ...parts.get(key), ...row })
    }
  }
  return parts
}

/** A header from what is known, completed by the log: the inherited part ends where the log says so. */
function asHeader(bad: Database.Database, key: number, row: Row): Row {
  const first = tryGet(
    bad
      .prepare<[number], number>('SELECT time FROM event WHERE session_key = ? ORDER BY seq LIMIT 1')
      .pluck(),
    key,
  )
  const seedEnd = tryGet(
    bad
      .prepare<[number], number>(
        `SELECT seq FROM event WHERE session_key = ? AND type = 'session/end-seed' ORDER BY seq DESC LIMIT 1`,
      )
      .pluck(),
    key,
  )
  return {
    version: 1,
    created_at: isSeq(first) ? first : 0,
    ...(isSeq(seedEnd) && { seed_length: seedEnd }),
    ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    key,
  }
}

function tryGet(statement: Database.Statement<[number], number>, key: number): number | undefined {
  try {
    return statement.get(key)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return undefined
  }
}

/** Of every log there is, whether or not anything else is known of it. One probe a log. */
function* keysOfLogs(bad: Database.Database, stated: number): Generator<number> {
  const next = bad
    .prepare<[number], number>(
      'SELECT session_key FROM event WHERE session_key >= ? ORDER BY session_key LIMIT 1',
    )
    .pluck()
  const one = (from: number) => {
    const key = next.get(from)
    return key === undefined ? [] : [key]
  }
  yield* walkRows(one, key => key, stated, 1)
}
