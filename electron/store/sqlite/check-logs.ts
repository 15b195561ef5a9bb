import type Database from 'better-sqlite3'
import { EVENT_TYPES } from '#shared/session/events.ts'
import { type FoundSession, findSessions } from '../backup/salvage-sessions.ts'
import { isUnreadable } from '../backup/unreadable.ts'
import { walkRows } from '../backup/walk-rows.ts'
import { EVENT_COLUMNS, type EventRow, isSeq } from '../event-rows.ts'
import { examine } from '../examine.ts'
import { events, logFindings, unknownTypesFinding } from '../log-findings.ts'
import { nameInLog } from './log-name.ts'

/** What one statement says of a log; anything odd in it makes the log be walked row by row. */
type LogFacts = readonly [
  stored: number,
  first: number | null,
  last: number | null,
  odd: number,
  unknown: number,
  unknownType: string | null,
]

/** Names sessions by title as far as one can be read, and says what is wrong with the log of each. */
export function* logProblems(db: Database.Database): Generator<string> {
  const known = EVENT_TYPES.map(type => `'${type}'`).join(', ')
  const facts = db
    .prepare<[number], LogFacts>(
      `SELECT count(*), min(seq), max(seq),
         total(typeof(seq) <> 'integer' OR typeof(data) <> 'text' OR NOT json_valid(data)
           OR typeof(time) NOT IN ('integer', 'real') OR typeof(type) <> 'text'),
         total(ignorable IS NOT 1 AND type NOT IN (${known})),
         min(CASE WHEN ignorable IS NOT 1 AND type NOT IN (${known}) THEN type END)
       FROM event WHERE session_key = ?`,
    )
    .raw()
  const rows = db
    .prepare<[number, number, number], EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE session_key = ? AND seq >= ? ORDER BY seq LIMIT ?`,
    )
    .raw()
  function nameOf(key: number, id: unknown): string {
    const title = nameInLog(db, key)
    const text = typeof id === 'string' ? id : `with key ${key}`
    return title === null ? `Session ${text}` : `Session ${text} (“${title}”)`
  }

  function factsOf(key: number): LogFacts | null {
    try {
      return facts.get(key) ?? null
    } catch (error) {
      if (!isUnreadable(error)) throw error
      return null
    }
  }

  function* checkLog({ key, row, whole }: FoundSession): Generator<string> {
    const { id, end_seq: stated } = row
    const log = factsOf(key)
    const end = isSeq(stated) ? stated : (log?.[2] ?? -1) + 1
    const [stored, first, last, odd, unknown, unknownType] = log ?? [0, null, null, 1, 0, null]
    const isWhole = stored === 0 ? end === 0 : first === 0 && last === end - 1 && stored === end
    if (whole && log !== null && isWhole && odd === 0 && unknown === 0) return
    const who = nameOf(key, id)
    if (!whole) yield `${who} has a record that cannot be read; its events are there.`
    if (!isWhole || odd > 0 || log === null) yield* walk(who, key, { stated: end, stored, whole })
    if (unknown > 0 && unknownType !== null) yield unknownTypesFinding(who, unknown, unknownType)
  }

  function* walk(
    who: string,
    key: number,
    { stated, stored, whole }: { readonly stated: number; readonly stored: number; readonly whole: boolean },
  ): Generator<string> {
    let walked = 0
    function* read(): Generator<EventRow> {
      for (const row of walkRows(
        (from, limit) => rows.all(key, from, limit),
        row => row[0],
        stated,
      )) {
        walked += 1
        yield row
      }
    }
    const { damage, end } = examine(read(), { from: 0, end: stated, atTail: true }, () => {})
    yield* logFindings(who, damage)
    if (whole && end > stated) yield `${who} states ${events(stated)} and holds more, up to ${end - 1}.`
    if (stored > walked) yield `${who} holds ${events(stored - walked)} twice: the first of each counts.`
  }

  for (const session of findSessions(db)) yield* checkLog(session)
}
