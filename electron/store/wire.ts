import type { Opening } from './opening.ts'

/** What travels between the store client and its thread. Everything is structured-clone data. */

export interface ThreadData {
  readonly dataFolder: string
  /** File URL of a module that exports `UNITS`; absent: the shared list. */
  readonly unitsModule?: string
  readonly readOnly?: boolean
}

/** A run of events of one log, column by column, its data as JSON text: cheap to clone, stored as it is. */
export interface EncodedEvents {
  readonly firstSeq: number
  readonly times: readonly number[]
  readonly types: readonly string[]
  readonly texts: readonly string[]
  /** Indices of the ignorable ones. */
  readonly ignorable: readonly number[]
}

export interface EncodedBatch {
  readonly sessionId: string
  readonly events: EncodedEvents
}

export interface EncodedDraft {
  readonly sessionId: string
  /** JSON of a `Draft`, `null` to remove it. */
  readonly text: string | null
}

export interface EncodedCheckpoint {
  readonly sessionId: string
  readonly facts: string
  readonly faults: readonly string[]
  readonly rows: readonly (readonly [key: string, stateVersion: number, seq: number, state: string])[]
}

/**
 * An answer as JSON text, which the main thread parses faster than a structured clone. A long array travels in
 * pieces, so that parsing it never stalls the main loop; `field` says where in the answer it belongs.
 */
export interface Answer<T> {
  readonly text: string
  readonly field?: string
  /** Made while they are sent: the main thread parses one while the next is made. */
  readonly pieces?: Iterable<string>
  /** Handed over, not copied: the answer's field `bytes`. Its buffer holds nothing else. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** Never set: it ties the text to what it says. */
  readonly says?: T
}

export type Answered<A> = A extends Answer<infer T> ? T : never

export interface WireError {
  readonly code: string
  readonly message: string
  /** Where it came from, for the log. */
  readonly cause: string
  /** The code of SQLite or of the system that it came with: `SQLITE_FULL`, `ENOSPC`. */
  readonly systemCode?: string
}

export interface Request {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export type ToThread = Request | { readonly cancel: number } | { readonly close: true }

export type FromThread =
  | { readonly ready: { readonly readOnly: boolean; readonly opening: Opening } }
  | { readonly failed: WireError }
  /** A part of what is stored could not be read, and an answer was made without it. */
  | { readonly damaged: true }
  /** A sentence for the log. */
  | { readonly note: string }
  | { readonly id: number; readonly piece: string }
  /** After its pieces, which it does not hold any more. */
  | { readonly id: number; readonly answer: Answer<unknown> }
  | { readonly id: number; readonly error: WireError }

const PIECE_LENGTH = 100_000

export function answer<T>(value: T): Answer<T> {
  return { text: JSON.stringify(value) }
}

export function answerWithBytes<T extends { readonly bytes: Uint8Array<ArrayBuffer> }>(
  rest: Omit<T, 'bytes'>,
  bytes: Uint8Array<ArrayBuffer>,
): Answer<T> {
  return { text: JSON.stringify(rest), bytes }
}

/** `rest[field]` in pieces: `items` are the JSON texts of its elements. */
export function answerInPieces<T, K extends keyof T & string>(
  rest: Omit<T, K>,
  field: K,
  items: Iterable<string>,
): Answer<T> {
  return { text: JSON.stringify(rest), field, pieces: piecesOf(items) }
}

function* piecesOf(items: Iterable<string>): Generator<string> {
  let piece: string[] = []
  let length = 0
  for (const item of items) {
    piece.push(item)
    length += item.length
    if (length < PIECE_LENGTH) continue
    yield `[${piece.join(',')}]`
    piece = []
    length = 0
  }
  if (piece.length > 0) yield `[${piece.join(',')}]`
}
