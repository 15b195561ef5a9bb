import type { Outcome } from '#shared/session/outcome.ts'
import { coldOutcome } from '#shared/session/outcome.ts'
import type { Activity, DiagnosticDetail, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { MarkKind } from '../ui/status-mark.tsx'

/** The states of a row. `limited` has the mark of `stopped` and a word of its own. */
export type RowState =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'ready'
  | 'completed'
  | 'failed'
  | 'stopped'
  | 'limited'
  | 'interrupted'

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

const STATUSES: Readonly<Record<RowState, Status>> = {
  queued: { state: 'queued', word: 'queued', mark: 'queued' },
  running: { state: 'running', word: 'running', mark: 'running' },
  waiting: { state: 'waiting', word: 'waiting for approval', mark: 'waiting' },
  ready: { state: 'ready', word: 'ready', mark: 'ready' },
  completed: { state: 'completed', word: 'completed', mark: 'done' },
  failed: { state: 'failed', word: 'failed', mark: 'failed' },
  stopped: { state: 'stopped', word: 'stopped', mark: 'stopped' },
  limited: { state: 'limited', word: 'limit reached', mark: 'stopped' },
  interrupted: { state: 'interrupted', word: 'interrupted', mark: 'interrupted' },
}
const COMPLETED_UNSEEN: Status = { state: 'completed', word: 'completed', mark: 'doneNew' }

/**
 * The one place that turns an outcome into a word and a mark. A session that no process hosts is never shown
 * as running, whatever its outcome says.
 */
export function statusOf({ outcome, activity, seen = true }: StatusInput): Status {
  const known = activity === 'running' ? (outcome ?? null) : coldOutcome(outcome ?? null)
  const state = stateOf(known)
  return state === 'completed' && !seen ? COMPLETED_UNSEEN : STATUSES[state]
}

function stateOf(outcome: Outcome | null): RowState {
  switch (outcome?.kind) {
    case undefined:
      return 'ready'
    case 'waiting':
      return outcome.on === 'approval' ? 'waiting' : 'running'
    case 'cancelled':
      return 'stopped'
    default:
      return outcome?.kind ?? 'ready'
  }
}

export type DiagnosticEntry = Extract<SubagentListEntry, { kind: 'diagnostic' }>

/** "Record damaged", or "Temporarily unavailable" when reading failed and may work the next time. */
export function diagnosticWord(entry: Pick<DiagnosticEntry, 'reason' | 'detail'>): string {
  const passing = entry.reason === 'unavailable' && entry.detail?.cause === 'read-failed'
  return passing ? 'Temporarily unavailable' : 'Record damaged'
}

/** Why a record cannot be read, in a few words that follow its id. */
export function diagnosticReason(entry: Pick<DiagnosticEntry, 'reason' | 'detail'>): string {
  if (entry.detail === undefined) return REASONS[entry.reason]
  return detailWords(entry.detail)
}

const REASONS: Readonly<Record<DiagnosticEntry['reason'], string>> = {
  corrupt: 'identity unreadable',
  unsupported: 'written by a newer version',
  unavailable: 'could not be read',
}

function detailWords(detail: DiagnosticDetail): string {
  switch (detail.cause) {
    case 'descriptor-missing':
      return 'descriptor missing'
    case 'descriptor-malformed':
      return 'descriptor malformed'
    case 'descriptor-version':
      return 'written by a newer version'
    case 'unit-fault':
      return `${detail.unit} cannot be computed`
    case 'header-changed':
      return 'header changed'
    case 'log-gap':
      return 'a gap in the log'
    case 'log-undecodable':
      return 'an unreadable event in the log'
    case 'read-failed':
      return `reading failed (${detail.code})`
  }
}
