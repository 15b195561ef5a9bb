/** Codes callers may branch on. Closed: a new one is added here and to the window's texts. */
export const WORKBENCH_ERROR_CODES = [
  'BAD_REQUEST',
  'SESSION_NOT_FOUND',
  'SUBAGENT_NOT_FOUND',
  'SESSION_EXISTS',
  'SESSION_BUSY',
  'WORK_RUNNING',
  'SESSION_DAMAGED',
  'SESSION_READ_ONLY',
  'SESSION_VERSION',
  'SEQ_CONFLICT',
  'NOT_SAVED',
  'STORE_UNAVAILABLE',
  'STORE_READ_ONLY',
  'DATA_FOLDER_LOCKED',
  'FOLDER_MISSING',
  'MODEL_UNKNOWN',
  'MODEL_KEY_MISSING',
  'MODEL_REFUSED',
  'MODEL_UNREACHABLE',
  'MODEL_FAILED',
  'APPROVAL_NOT_OPEN',
  'IMPORT_FAILED',
  'CANCELLED',
  'INTERNAL',
] as const
export type WorkbenchErrorCode = (typeof WORKBENCH_ERROR_CODES)[number]

/** Contracts §7. `CANCELLED` is in both lists: a listing ends with it, so does any other call. */
export const SUBAGENT_ERROR_CODES = [
  'DUPLICATE_PROVIDER',
  'NO_PROVIDER',
  'UNSUPPORTED_CAPABILITY',
  'CONTINUATION_UNAVAILABLE',
  'PERSISTENCE_UNAVAILABLE',
  'DUPLICATE_CHILD',
  'NOT_RESUMABLE',
  'UNAUTHORIZED',
  'ACTIVATION_CLOSING',
  'DRAINING',
  'PARENT_UNAVAILABLE',
  'ACTIVATION_TEARDOWN_FAILED',
  'DEPTH_EXCEEDED',
  'LIMIT_EXCEEDED',
  'CANCELLED',
  'SUBAGENT_CONTROL_PROJECTIONS_UNAVAILABLE',
  'SUBAGENT_CONTROL_SESSION_STORE_UNAVAILABLE',
] as const
export type SubagentErrorCode = (typeof SUBAGENT_ERROR_CODES)[number]

export type ErrorCode = WorkbenchErrorCode | SubagentErrorCode

/** A failure callers may branch on. Branch on `code`; `message` is one sentence for people. */
export class WorkbenchError extends Error {
  override readonly name: string = 'WorkbenchError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A failure of delegation: starting, listing, messaging or ending a child. */
export class SubagentError extends WorkbenchError {
  override readonly name = 'SubagentError'
  declare readonly code: SubagentErrorCode

  constructor(code: SubagentErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
  }
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof WorkbenchError && error.code === code
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Closes a union of our own making. Logs hold types we do not know: folds return their state instead. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
