import type { Access } from '#shared/contract/session-shapes.ts'
import type { RowState } from '#shared/session/status.ts'
import type { SessionView } from '../../store/session-view.ts'
import type { DetailState } from '../../store/state.ts'

type Resumable = Extract<Access, { kind: 'resumable' }>
type ReadOnly = Extract<Access, { kind: 'read-only' }>

export interface ComposerMode {
  /** `null`: the message box is there. */
  readonly readOnly: ReadOnly | null
  /** What sending brings back, for a cold child. */
  readonly restores: Resumable | null
  /** A turn is open: a message waits for it, or steers it. */
  readonly turnOpen: boolean
  /** Something can be stopped. */
  readonly alive: boolean
  /** Its last turn was cut short, and can be taken up with nothing new said. */
  readonly canRetry: boolean
  /** Why nothing can be sent now. */
  readonly blocked: string | null
  readonly placeholder: string
}

/** What the composer of a session is, from what is known of it. Not known is not "read only". */
export function composerMode(detail: DetailState | undefined, view: SessionView | null): ComposerMode {
  const access = detail?.status === 'ready' ? detail.detail.access : null
  const label = view?.label ?? (detail?.status === 'ready' ? detail.detail.label : 'the agent')
  const outcome = view?.facts.outcome
  const hosted = view?.activity === 'running'
  const turnOpen =
    hosted && (outcome?.kind === 'running' || (outcome?.kind === 'waiting' && outcome.on === 'approval'))
  const state = view?.status.state
  const alive = state === 'running' || state === 'waiting' || state === 'queued'
  const restores = access?.kind === 'resumable' && !hosted ? access : null
  return {
    readOnly: access?.kind === 'read-only' ? access : null,
    restores,
    turnOpen,
    alive,
    canRetry: access !== null && access.kind !== 'read-only' && state !== undefined && CUT_SHORT.has(state),
    blocked: access === null ? blockedBy(detail) : (restores?.problem ?? null),
    placeholder: placeholder(label, view, restores !== null, turnOpen),
  }
}

const CUT_SHORT: ReadonlySet<RowState> = new Set(['failed', 'limited', 'interrupted'])

function blockedBy(detail: DetailState | undefined): string {
  return detail?.status === 'failed' ? detail.failure.detail : 'The session is still being read'
}

function placeholder(label: string, view: SessionView | null, cold: boolean, turnOpen: boolean): string {
  if (cold) return `Message ${label} to resume it`
  const isChild = view !== null && view.mode !== 'session'
  if (turnOpen) return isChild ? `Queue a message for ${label}` : 'Queue a message for the next turn'
  return isChild ? `Message ${label}` : 'Say what you want done'
}
