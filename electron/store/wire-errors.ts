import Database from 'better-sqlite3'
import { WORKBENCH_ERROR_CODES, WorkbenchError, type WorkbenchErrorCode } from '#shared/errors.ts'
import type { WireError } from './wire.ts'

/** What went wrong, ready to cross. A failing medium is `STORE_UNAVAILABLE`, a bug `INTERNAL`. */
export function toWireError(error: unknown): WireError {
  if (error instanceof WorkbenchError) {
    return { code: error.code, message: error.message, cause: causeText(error.cause) }
  }
  if (error instanceof Database.SqliteError) {
    const { code, message } = sqliteFailure(error.code)
    return { code, message, cause: `${error.code}: ${error.message}` }
  }
  return { code: 'INTERNAL', message: 'The session store made a mistake.', cause: causeText(error) }
}

export function fromWireError({ code, message, cause }: WireError): WorkbenchError {
  const known = WORKBENCH_ERROR_CODES.find(candidate => candidate === code) ?? 'INTERNAL'
  return new WorkbenchError(known, message, cause === '' ? {} : { cause: new Error(cause) })
}

function sqliteFailure(code: string): { code: WorkbenchErrorCode; message: string } {
  if (code.startsWith('SQLITE_READONLY')) {
    return { code: 'STORE_READ_ONLY', message: 'The session database may not be written to.' }
  }
  if (code === 'SQLITE_FULL') {
    return { code: 'STORE_UNAVAILABLE', message: 'The disk is full: the session database cannot grow.' }
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return { code: 'STORE_UNAVAILABLE', message: 'Another process holds the session database.' }
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return { code: 'STORE_UNAVAILABLE', message: 'The session database is damaged.' }
  }
  return { code: 'STORE_UNAVAILABLE', message: 'The session database cannot be read or written.' }
}

function causeText(error: unknown): string {
  if (error === undefined) return ''
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
