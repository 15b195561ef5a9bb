import type { StoredEvent } from '#shared/session/events.ts'
import { showsText } from './event-text.ts'

const PAGE = 1000

export interface FindProgress {
  /** Seqs of events that show the text, newest first. */
  readonly seqs: readonly number[]
  /** The whole log was looked at. */
  readonly done: boolean
}

interface FindDeps {
  /** A page of the log, in order; `nextBefore` is `null` at its start. */
  readonly page: (
    before: number | undefined,
    limit: number,
  ) => Promise<{ readonly events: readonly StoredEvent[]; readonly nextBefore: number | null }>
  readonly onProgress: (progress: FindProgress) => void
  readonly signal: AbortSignal
}

/** Looks through a whole log from its end, a page at a time, telling what it has found after each. Rejects when a page does. */
export async function findInLog(text: string, { page, onProgress, signal }: FindDeps): Promise<void> {
  const needle = text.toLowerCase()
  const seqs: number[] = []
  let before: number | undefined
  for (;;) {
    const { events, nextBefore } = await page(before, PAGE)
    if (signal.aborted) return
    for (const event of events.toReversed()) if (showsText(event, needle)) seqs.push(event.seq)
    onProgress({ seqs: [...seqs], done: nextBefore === null })
    if (nextBefore === null) return
    before = nextBefore
  }
}
