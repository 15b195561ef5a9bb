import type { Outcome } from '#shared/session/outcome.ts'
import { type RowState, rowState, STATUS_WORDS } from '#shared/session/status.ts'
import type { Activity } from '#shared/subagent/catalog-entry.ts'
import type { MarkKind } from '../ui/status-mark.tsx'

export interface Status {
  readonly state: RowState
  /** As it stands in accessible names and texts. */
  readonly word: string
  readonly mark: MarkKind
}

interface StatusInput {
  readonly outcome: Outcome | null | undefined
  /** `undefined`: not known, which reads as `inactive`. */
  readonly activity: Activity | undefined
  /** Its completion was looked at. */
  readonly seen?: boolean
}

/** `limited` has the mark of `stopped` and a word of its own. */
const STATUSES: Readonly<Record<RowState, Status>> = {
  queued: status('queued', 'queued'),
  running: status('running', 'running'),
  waiting: status('waiting', 'waiting'),
  ready: status('ready', 'ready'),
  completed: status('completed', 'done'),
  failed: status('failed', 'failed'),
  stopped: status('stopped', 'stopped'),
  limited: status('limited', 'stopped'),
  interrupted: status('interrupted', 'interrupted'),
}
const COMPLETED_UNSEEN = status('completed', 'doneNew')

/** The state of a row with its word and its mark. */
export function statusOf({ outcome, activity, seen = true }: StatusInput): Status {
  const state = rowState(outcome, activity)
  return state === 'completed' && !seen ? COMPLETED_UNSEEN : STATUSES[state]
}

function status(state: RowState, mark: MarkKind): Status {
  return { state, word: STATUS_WORDS[state], mark }
}
