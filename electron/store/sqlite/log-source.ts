import type Database from 'better-sqlite3'
import type { EventRow } from '../event-rows.ts'
import type { LogFacts, LogSource } from '../search/log-source.ts'
import { LONGEST_DATA } from '../search/readable-text.ts'

interface FactsRow {
  readonly key: number
  readonly id: unknown
  readonly endSeq: unknown
  readonly cuts: unknown
  readonly seedLength: unknown
  readonly createdAt: unknown
  readonly lastTime: unknown
  readonly isTrashed: number
}

const COLUMNS = `key, id, end_seq AS endSeq, cuts, seed_length AS seedLength, created_at AS createdAt,
  last_time AS lastTime, trashed_at IS NOT NULL AS isTrashed`

export function createLogSource(db: Database.Database): LogSource {
  const page = db.prepare<[number, number], FactsRow>(
    `SELECT ${COLUMNS} FROM session WHERE key > ? ORDER BY key LIMIT ?`,
  )
  const one = db.prepare<[string], FactsRow>(`SELECT ${COLUMNS} FROM session WHERE id = ?`)
  const rows = db
    .prepare<[number, number, number], EventRow>(
      `SELECT seq, time, type, iif(octet_length(data) > ${LONGEST_DATA}, substr(data, 1, ${LONGEST_DATA}), data), ignorable
       FROM event WHERE session_key = ? AND seq >= ? ORDER BY seq LIMIT ?`,
    )
    .raw()
  return {
    sessions: (after, limit) => page.all(after, limit).map(factsOf),
    session: id => {
      const row = one.get(id)
      return row === undefined ? null : factsOf(row)
    },
    rows: (key, fromSeq, limit) => rows.all(key, fromSeq, limit),
  }
}

/** A damaged record costs what it says, not the listing. */
function factsOf(row: FactsRow): LogFacts {
  return {
    key: row.key,
    id: String(row.id),
    endSeq: whole(row.endSeq),
    cuts: whole(row.cuts),
    seedLength: whole(row.seedLength),
    createdAt: whole(row.createdAt),
    lastTime: whole(row.lastTime),
    isTrashed: row.isTrashed === 1,
  }
}

function whole(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0
}
