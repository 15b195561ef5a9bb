import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Stored checkpoints that claim more than their log holds: the store itself would hide them. */
export function checkpointsAhead(dataFolder: string): string[] {
  const db = new Database(join(dataFolder, 'espalier.db'), { readonly: true, fileMustExist: true })
  try {
    const ahead = db
      .prepare<[], { id: string; key: string; seq: number; end: number }>(
        `SELECT s.id, r.key, r.seq, s.end_seq AS "end" FROM checkpoint_row r
         JOIN session s ON s.key = r.session_key
         WHERE r.seq >= s.end_seq OR s.end_seq <> (SELECT COUNT(*) FROM event e WHERE e.session_key = s.key)`,
      )
      .all()
    return ahead.map(({ id, key, seq, end }) => `${key} of ${id} is at ${seq}, the log ends before ${end}`)
  } finally {
    db.close()
  }
}
