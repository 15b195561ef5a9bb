import type { SessionId } from '#shared/session/ids.ts'

/** A root session with everything delegated below it, as far as it is not in the trash. */
export interface TreeUsage {
  readonly id: SessionId
  /** Title or label, where a checkpoint tells it. */
  readonly label: string | null
  readonly archived: boolean
  readonly sessions: number
  /** Logs, checkpoints, outputs, and rows that were cut off damaged logs. */
  readonly bytes: number
}

/** What sessions use of the medium: what is stored of them, without indexes and unused pages. */
export interface StoredUsage {
  /** The biggest trees, biggest first, at most `MOST_TREES`. */
  readonly trees: readonly TreeUsage[]
  /** All trees, those in `trees` included. */
  readonly all: { readonly trees: number; readonly sessions: number; readonly bytes: number }
  /** Bytes of each act in the trash, by the id that `trashed()` gives. */
  readonly trash: readonly { readonly id: string; readonly bytes: number }[]
  /** Bytes of the medium that hold nothing and that `compact` gives back. */
  readonly free: number
}

export const MOST_TREES = 50

export type UsageStep =
  | { readonly done: false; readonly measured: number; readonly sessions: number }
  | { readonly done: true; readonly usage: StoredUsage }

export interface UsageReader {
  /**
   * Measures every session, in steps of a few milliseconds between which appends go. A log that was measured before
   * is read from there on only. One at a time: whoever asks meanwhile begins it anew.
   */
  measure(
    onProgress: (progress: { readonly measured: number; readonly sessions: number }) => void,
    signal?: AbortSignal,
  ): Promise<StoredUsage>
  /**
   * Gives unused space back to the disk. Everything else waits for it, and it needs as much free space again as the
   * sessions use. Rejects with `STORE_UNAVAILABLE` when it did not work: then nothing was changed.
   */
  compact(): Promise<void>
}
