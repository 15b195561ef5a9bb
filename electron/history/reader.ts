import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'

/** One session of another tool, as it will be stored. Same file, same result: ids and times come from the file. */
export interface ImportedSession {
  readonly header: SessionHeader
  /** Dense from seq 0, without an open turn at the end. Times are the file's own and may step back. */
  readonly events: readonly StoredEvent[]
  /** What could not be read of its file: sentences, without the path. */
  readonly warnings: readonly string[]
  /** The file it was read from. */
  readonly path: string
}

export type HistoryItem =
  /** A root and all its children, parents before children. */
  | { readonly kind: 'tree'; readonly sessions: readonly ImportedSession[] }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: string }

/** A tool whose transcripts Espalier reads. Reading never writes to the source. */
export interface HistoryReader {
  readonly tool: string
  /** Looks at names and at the first lines of a few files. Never rejects for what it finds there. */
  recognises(path: string): Promise<boolean>
  /** One tree at a time, so that memory holds one. A damaged file costs one item. Rejects only with `signal.reason`. */
  read(path: string, signal?: AbortSignal): AsyncIterable<HistoryItem>
}
