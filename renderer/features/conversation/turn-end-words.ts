import type { TurnEndReason } from '#shared/session/outcome.ts'
import { formatDuration, formatTime } from '../../ui/format.ts'
import type { MarkKind } from '../../ui/status-mark.tsx'

interface TurnEndWords {
  readonly mark: MarkKind
  readonly text: string
  /** Why, where there is more to say than that it ended. */
  readonly detail: string | null
}

const ABORTED = {
  user: 'Stopped by you',
  parent: 'Stopped by its parent',
  disposed: 'Stopped when the workbench closed',
  limit: 'Limit reached',
} as const

/** What became of a turn, as a line under it. */
export function turnEndWords(
  reason: TurnEndReason,
  at: number,
  startedAt: number | null,
  now: number,
): TurnEndWords {
  // Under a second is noise, and what an imported history without times looks like.
  const took = startedAt === null || at - startedAt < 1000 ? '' : ` after ${formatDuration(at - startedAt)}`
  const when = ` at ${formatTime(at, now)}${took}`
  switch (reason.kind) {
    case 'completed':
      return { mark: 'done', text: `Completed${when}`, detail: null }
    case 'aborted':
      return { mark: 'stopped', text: `${ABORTED[reason.by]}${when}`, detail: null }
    case 'interrupted':
      return {
        mark: 'interrupted',
        text: `Interrupted${when}. Every event up to here is kept.`,
        detail: null,
      }
    case 'blocked':
      return { mark: 'failed', text: `Ended${when}`, detail: 'The model declined to go on.' }
    case 'max-tokens':
      return {
        mark: 'failed',
        text: `Ended${when}`,
        detail: 'The answer reached the token limit of the model.',
      }
    case 'error':
      return { mark: 'failed', text: `Failed${when}`, detail: `${reason.message} (${reason.code})` }
  }
}
