import type { EventRow } from '../event-rows.ts'
import { isNothing } from '../jsonl/line.ts'

/** All that a data folder keeps of one session but its events. */
export interface CarriedSession {
  readonly id: string
  /** The header's facts as they are stored, unchecked. */
  readonly header: Readonly<Record<string, unknown>>
  /** Number of events that the record states: more than there are for a log that lost its end. */
  readonly endSeq: number
  readonly cuts: number
  /** The id of the session whose act it was, or a mark that is none. */
  readonly archived: string | null
  readonly trashed: { readonly at: number; readonly with: string } | null
  readonly draft: string | null
  readonly checkpoint: CarriedCheckpoint | null
  /** By what they were lost in. */
  readonly lost: readonly LostPart[]
  readonly outputs: readonly CarriedOutput[]
}

export interface CarriedCheckpoint {
  readonly facts: string
  /** JSON text. */
  readonly faults: string
  /** By key. */
  readonly rows: readonly (readonly [key: string, stateVersion: number, seq: number, state: string])[]
}

export type LostPart =
  /** Rows that were cut off together. Their seq may be anything. */
  | { readonly kind: 'rows'; readonly at: number; readonly rows: readonly EventRow[] }
  /** Bytes of a torn write. */
  | { readonly kind: 'bytes'; readonly number: number; readonly bytes: Uint8Array }

export interface CarriedOutput {
  readonly id: string
  readonly size: number
  /** The same for sessions that share it, and no other. */
  readonly shared: string
}

/** What is moved, as it is kept. Nothing is written. */
export interface SessionSource {
  /** By id. Those that no other place could keep are named in `left`. */
  sessions(): Iterable<CarriedSession>
  /** In order of seq, each once. */
  rows(id: string): Iterable<EventRow>
  output(id: string, outputId: string): Iterable<Uint8Array>
  /** Which units the checkpoints were made by. */
  readonly units: string | undefined
  /** Sentences about what cannot be carried: complete when `sessions` has ended. */
  readonly left: readonly string[]
  close(): void
}

export interface SessionTarget {
  /** `source` is where its rows and outputs are read from. */
  add(session: CarriedSession, source: SessionSource): void
  /** Nothing is added any more: all of it is durable when this returns. */
  finish(units: string | undefined): void
  /** What was written so far does not matter any more. */
  abandon(): void
}

/** Of the row that stands for the end of a log that was lost: nothing in it. */
export function isEmptyRow([, time, type, data]: EventRow): boolean {
  return [time, type, data].every(isNothing)
}
