import { chmodSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { PAGE_BYTES } from './page-size.ts'

/** Only other processes can hold the file, and none for long: the workbench is the one writer. */
const BUSY_TIMEOUT_MS = 500

export interface OpenedDatabase {
  readonly db: Database.Database
  /** Asked for, or the database is of a newer version: reading works, writing is refused. */
  readonly readOnly: boolean
}

/**
 * Opens or makes the database and brings it up to date. One that a newer Espalier wrote opens read-only.
 * @throws WorkbenchError `STORE_UNAVAILABLE` for a file that is no database of ours or cannot be opened.
 */
export function openDatabase(file: string, options: { readonly readOnly?: boolean } = {}): OpenedDatabase {
  try {
    return options.readOnly === true ? { db: openToRead(file), readOnly: true } : openToWrite(file)
  } catch (error) {
    if (error instanceof WorkbenchError) throw error
    throw new WorkbenchError('STORE_UNAVAILABLE', 'The session database cannot be opened.', { cause: error })
  }
}

function openToWrite(file: string): OpenedDatabase {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Before the first page is written: page size can only be chosen then, and the WAL file copies the mode.
    db.pragma(`page_size = ${PAGE_BYTES}`)
    const version = schemaVersion(db)
    if (version > SCHEMA_VERSION) {
      db.close()
      return { db: openToRead(file), readOnly: true }
    }
    refuseForeign(db, version)
    chmodSync(file, 0o600)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // 16 MiB of WAL: the pages that logs end on are written many times, and copied back half as often as by default.
    db.pragma('wal_autocheckpoint = 2000')
    db.pragma('cache_size = -4000')
    db.pragma('journal_size_limit = 67108864')
    migrate(db)
    return { db, readOnly: false }
  } catch (error) {
    db.close()
    throw error
  }
}

function openToRead(file: string): Database.Database {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS, readonly: true, fileMustExist: true })
  try {
    if (schemaVersion(db) < SCHEMA_VERSION) {
      throw new WorkbenchError(
        'STORE_UNAVAILABLE',
        'The session database must be opened for writing once first.',
      )
    }
    db.pragma('cache_size = -4000')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** A file of someone else's must not grow our tables. */
function refuseForeign(db: Database.Database, version: number): void {
  if (version !== 0) return
  const tables = db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (tables === 0) return
  throw new WorkbenchError(
    'STORE_UNAVAILABLE',
    'The file in place of the session database is not one of ours.',
  )
}
