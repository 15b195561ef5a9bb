import type { Activity } from '../subagent/catalog-entry.ts'
import { coldOutcome, type Outcome } from './outcome.ts'

/** The states of a row, and the one word for each: the same in a window, in accessible names and in a terminal. */
export const STATUS_WORDS = {
  queued: 'queued',
  running: 'running',
  waiting: 'waiting for approval',
  ready: 'ready',
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  limited: 'limit reached',
  interrupted: 'interrupted',
} as const
export type RowState = keyof typeof STATUS_WORDS

/**
 * The one place that turns an outcome into a state. `null` or absent is a session that never ran. One that no
 * process hosts is never running, whatever its outcome says.
 */
export function rowState(outcome: Outcome | null | undefined, activity: Activity | undefined): RowState {
  const known = activity === 'running' ? (outcome ?? null) : coldOutcome(outcome ?? null)
  switch (known?.kind) {
    case undefined:
      return 'ready'
    case 'waiting':
      return known?.on === 'approval' ? 'waiting' : 'running'
    case 'cancelled':
      return 'stopped'
    default:
      return known?.kind ?? 'ready'
  }
}
