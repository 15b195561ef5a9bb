import { type ErrorCode, messageOf, SUBAGENT_ERROR_CODES, WORKBENCH_ERROR_CODES } from '#shared/errors.ts'

/** A call that did not work, as data. `detail` is the host's sentence; `incident` is found in its log. */
export interface Failure {
  readonly code: ErrorCode
  readonly detail: string
  readonly incident: string | null
}

const CODES: ReadonlySet<string> = new Set([...WORKBENCH_ERROR_CODES, ...SUBAGENT_ERROR_CODES])

/** Anything thrown by a call. What carries no code of ours (a lost connection, a bug) is `INTERNAL`. */
export function failureOf(error: unknown): Failure {
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown }
  const incident = (data as { readonly incident?: unknown } | null | undefined)?.incident
  return {
    code: isErrorCode(code) ? code : isAbort(error) ? 'CANCELLED' : 'INTERNAL',
    detail: messageOf(error),
    incident: typeof incident === 'string' ? incident : null,
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && CODES.has(code)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
