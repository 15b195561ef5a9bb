import { chmodSync, renameSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'

export interface WrittenBackup {
  readonly bytes: number
  readonly sessions: number
}

/** Pages at a time: 16 MiB. Between them a thread can be ended. */
const PAGES_AT_ONCE = 2048

/**
 * Copies a database through SQLite into one file, readable by its owner alone, and reads the copy before it counts.
 * The connection is the caller's own: in WAL mode it keeps no writer waiting. What fails leaves no file behind.
 * @throws WorkbenchError `STORE_UNAVAILABLE` for a copy that is not sound; SQLite's own error otherwise.
 */
export async function writeBackup(db: Database.Database, to: string): Promise<WrittenBackup> {
  const partial = `${to}.partial`
  removeDatabase(partial)
  try {
    await inOneReading(db, () => db.backup(partial, { progress: () => PAGES_AT_ONCE }))
    chmodSync(partial, 0o600)
    const sessions = makeWhole(partial)
    renameSync(partial, to)
    return { bytes: statSync(to).size, sessions }
  } catch (error) {
    removeDatabase(partial)
    throw error
  }
}

/** Without it, each write of another connection would make the copy start again. */
async function inOneReading(db: Database.Database, work: () => Promise<unknown>): Promise<void> {
  db.exec('BEGIN')
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    await work()
  } finally {
    db.exec('COMMIT')
  }
}

/**
 * Makes a copy one file without a WAL, on the disk, and reads all of it.
 * @returns how many sessions it holds.
 */
export function makeWhole(file: string): number {
  const db = new Database(file, { fileMustExist: true })
  try {
    db.pragma('journal_mode = DELETE')
    const [first] = db.prepare<[], string>('PRAGMA quick_check(1)').pluck().all()
    if (first !== 'ok') {
      const cause = new Database.SqliteError(first ?? 'it cannot be read', 'SQLITE_CORRUPT')
      throw new WorkbenchError('STORE_UNAVAILABLE', `The copy is not sound (${oneLine(cause.message)}).`, {
        cause,
      })
    }
    return countSessions(db)
  } finally {
    db.close()
  }
}

/** Of a backup or a database beside the one in use; `null` when it is none of ours or cannot be read. */
export function sessionsIn(file: string): number | null {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true })
    try {
      return countSessions(db)
    } finally {
      db.close()
    }
  } catch (error) {
    // A file that cannot be read is listed without a number: restoring it says why.
    if (error instanceof Database.SqliteError) return null
    throw error
  }
}

/** Those that a list would show, the trash left out. */
function countSessions(db: Database.Database): number {
  return (
    db
      .prepare<[], number>('SELECT count(*) FROM session WHERE trashed_at IS NULL AND end_seq > 0')
      .pluck()
      .get() ?? 0
  )
}

/** A file of SQLite's with what may lie beside it. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

function oneLine(text: string): string {
  return text.replace(/^\*\*\*.*\n/, '').replaceAll(/\s+/g, ' ')
}
