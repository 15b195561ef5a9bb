import Database from 'better-sqlite3'
import { WORKBENCH_ERROR_CODES, WorkbenchError, type WorkbenchErrorCode } from '#shared/errors.ts'
import { MEDIUM_SENTENCES, type MediumFault, mediumFault, systemCodeOf } from './medium.ts'
import type { WireError } from './wire.ts'

/** What went wrong, ready to cross. A failing medium is `STORE_UNAVAILABLE`, a bug `INTERNAL`. */
export function toWireError(error: unknown): WireError {
  const systemCode = systemCodeOf(error)
  const known = systemCode === null ? {} : { systemCode }
  if (error instanceof WorkbenchError) {
    return { code: error.code, message: error.message, cause: causeText(error.cause), ...known }
  }
  const fault = systemCode === null ? null : mediumFault(systemCode)
  if (fault !== null) {
    const text = error instanceof Error ? error.message : String(error)
    return {
      code: codeFor(fault),
      message: MEDIUM_SENTENCES[fault],
      cause: `${systemCode}: ${text}`,
      ...known,
    }
  }
  if (error instanceof Database.SqliteError) {
    const message = 'The session database cannot be read or written.'
    return { code: 'STORE_UNAVAILABLE', message, cause: `${error.code}: ${error.message}` }
  }
  return { code: 'INTERNAL', message: 'The session store made a mistake.', cause: causeText(error) }
}

/** `systemCodeOf` finds its system code again. */
export function fromWireError({ code, message, cause, systemCode }: WireError): WorkbenchError {
  const known = WORKBENCH_ERROR_CODES.find(candidate => candidate === code) ?? 'INTERNAL'
  if (cause === '') return new WorkbenchError(known, message)
  const origin = Object.assign(new Error(cause), systemCode === undefined ? {} : { code: systemCode })
  return new WorkbenchError(known, message, { cause: origin })
}

function codeFor(fault: MediumFault): WorkbenchErrorCode {
  return fault === 'read-only' ? 'STORE_READ_ONLY' : 'STORE_UNAVAILABLE'
}

function causeText(error: unknown): string {
  if (error === undefined) return ''
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
