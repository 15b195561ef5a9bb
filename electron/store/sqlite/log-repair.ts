import type Database from 'better-sqlite3'
import type { LogRepair } from '../logs.ts'
import type { LogTable } from './log-table.ts'

/** What a resume may change in a log. */
export function createLogRepair(db: Database.Database, table: LogTable): LogRepair {
  const keepLost = db.prepare<[number, number, number]>(
    `INSERT INTO lost_event (session_key, seq, time, type, data, ignorable, lost_at)
     SELECT session_key, seq, time, type, data, ignorable, ? FROM event WHERE session_key = ? AND seq >= ?`,
  )
  const dropLost = db.prepare<[number, number]>('DELETE FROM event WHERE session_key = ? AND seq >= ?')
  const cutEnd = db.prepare<[number, number]>('UPDATE session SET end_seq = ?, cuts = cuts + 1 WHERE key = ?')
  const dropDraft = db.prepare<[number]>('DELETE FROM draft WHERE session_key = ?')

  return {
    together: work => db.transaction(work).immediate(),
    cutTail: (key, fromSeq) => {
      keepLost.run(Date.now(), key, fromSeq)
      dropLost.run(key, fromSeq)
      cutEnd.run(fromSeq, key)
    },
    append: (key, fromSeq, events) => table.append(key, fromSeq, events),
    dropDraft: key => {
      dropDraft.run(key)
    },
  }
}
