import type { SessionId } from '#shared/session/ids.ts'

/**
 * What programs print, whole: bytes as they came, beside the log and never in it. An output belongs to a session and is
 * named by `id`, which is the id of the call that made it. A fork inherits the outputs of its inherited calls. Promises of
 * every method are those of `SessionPersistence`: an unknown or trashed session rejects with `SESSION_NOT_FOUND`, a
 * failing medium with `STORE_UNAVAILABLE`, an aborted `signal` with its reason.
 */
export interface OutputStore {
  /**
   * Adds `bytes`, durable when it resolves. `from` is where they start: the size of what is stored, 0 for a new output;
   * any other rejects with `SEQ_CONFLICT` and stores nothing, so a repeated write is found out. An output that another
   * session has as well is finished and rejects with `BAD_REQUEST`. A trashed session takes bytes, as it takes events.
   * What was stored before a kill stays readable. `bytes` must not be used afterwards: their buffer is handed over.
   */
  append(sessionId: SessionId, id: string, from: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /**
   * At most `length` bytes from `from` on, fewer at the end, none beyond it. Costs what it reads, whatever the size.
   * `null` when the session has no such output. Bytes that are lost end a slice early; at `from` they reject with
   * `SESSION_DAMAGED`.
   */
  read(
    sessionId: SessionId,
    id: string,
    range: { readonly from: number; readonly length: number },
    signal?: AbortSignal,
  ): Promise<OutputSlice | null>
  /** Every output of a session, by id. For copying and counting. */
  list(
    sessionId: SessionId,
    signal?: AbortSignal,
  ): Promise<readonly { readonly id: string; readonly size: number }[]>
}

export interface OutputSlice {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Bytes of the whole output as far as it is stored. */
  readonly size: number
}
