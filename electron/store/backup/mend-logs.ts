import type Database from 'better-sqlite3'
import { EVENT_COLUMNS, type EventRow } from '../event-rows.ts'
import { examine } from '../examine.ts'
import { events } from '../log-findings.ts'

type Stated = readonly [key: number, id: string, endSeq: number, stored: number, last: number | null]

/**
 * What can be put right in logs without inventing anything: a record that states another end than its log has, and a
 * torn tail, which is cut and kept aside as a resume would do. A gap stays: both sides of it can be read.
 * @returns a sentence for each session.
 */
export function mendLogs(db: Database.Database): string[] {
  const sessions = db
    .prepare<[], Stated>(
      `SELECT s.key, s.id, s.end_seq, count(e.seq), max(e.seq) FROM session s LEFT JOIN event e ON e.session_key = s.key
       GROUP BY s.key`,
    )
    .raw()
  const rows = db
    .prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM event WHERE session_key = ? ORDER BY seq`)
    .raw()
  const broken = db
    .prepare<[], number>(
      `SELECT DISTINCT session_key FROM event WHERE typeof(data) <> 'text' OR NOT json_valid(data)`,
    )
    .pluck()
  const doubtful = new Set(broken.all())
  const keepLost = db.prepare<[number, number, number]>(
    `INSERT INTO lost_event (session_key, seq, time, type, data, ignorable, lost_at)
     SELECT session_key, seq, time, type, data, ignorable, ? FROM event WHERE session_key = ? AND seq >= ?`,
  )
  const drop = db.prepare<[number, number]>('DELETE FROM event WHERE session_key = ? AND seq >= ?')
  const moveEnd = db.prepare<[number, number, number, number]>(
    `UPDATE session SET end_seq = ?, cuts = cuts + 1,
       last_time = (SELECT time FROM event WHERE session_key = ? AND seq = ?) WHERE key = ?`,
  )

  function mend([key, id, stated, stored, last]: Stated): string[] {
    const isWhole = stored === 0 ? stated === 0 : last === stated - 1 && stored === stated
    if (isWhole && !doubtful.has(key)) return []
    const log = examine(rows.iterate(key), { from: 0, end: stated, atTail: true }, () => {})
    const tail = log.damage.find(one => one.kind === 'damaged-tail')
    const end = tail === undefined ? log.end : tail.fromSeq
    if (end === stated && tail === undefined) return []
    if (tail !== undefined) {
      keepLost.run(Date.now(), key, end)
      drop.run(key, end)
    }
    moveEnd.run(end, key, end - 1, key)
    return [
      tail === undefined
        ? `Session ${id} states its ${events(end)} again, not ${stated}.`
        : `Session ${id} ends at its last readable event; the ${events(tail.lost)} behind it were lost.`,
    ]
  }

  return db.transaction(() => sessions.all().flatMap(mend))()
}
