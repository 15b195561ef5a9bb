import Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { mediumFault } from '../medium.ts'

/** SQLite met something on the disk that cannot be what was written there. Other rows may be whole. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof WorkbenchError && error.cause !== undefined) return isUnreadable(error.cause)
  if (!(error instanceof Database.SqliteError)) return false
  return mediumFault(error.code) === 'damaged' || UNREADABLE_SECTORS.has(error.code)
}

const UNREADABLE_SECTORS: ReadonlySet<string> = new Set([
  'SQLITE_IOERR_READ',
  'SQLITE_IOERR_SHORT_READ',
  'SQLITE_IOERR_CORRUPTFS',
])
