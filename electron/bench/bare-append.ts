import type { StoredEvent } from '#shared/session/events.ts'
import { databaseFile } from '../store/data-folder.ts'
import { openDatabase } from '../store/sqlite/database.ts'

/** The same rows in the same schema, in one transaction of prepared statements: what SQLite itself takes. */
export function bareAppend(dataFolder: string, logs: readonly (readonly StoredEvent[])[]): () => void {
  const { db } = openDatabase(databaseFile(dataFolder))
  const insert = db.prepare('INSERT INTO event (session_key, seq, time, type, data) VALUES (?, ?, ?, ?, ?)')
  const session = db.prepare(
    'INSERT INTO session (key, id, version, created_at, end_seq) VALUES (?, ?, 1, 0, 0)',
  )
  for (const key of logs.keys()) session.run(key + 1, `bare-${key}`)
  const rows = logs.flatMap((log, key) =>
    log.map(({ seq, time, type, data }) => [key + 1, seq, time, type, JSON.stringify(data)] as const),
  )
  return db.transaction(() => {
    for (const row of rows) insert.run(...row)
  }).immediate
}
