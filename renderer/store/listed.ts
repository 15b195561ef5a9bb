import type { SessionDetail, SessionSummary } from '#shared/contract/session-shapes.ts'
import type { PendingApproval } from '#shared/contract.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import { type RowState, rowState } from '#shared/session/status.ts'
import type { Activity, SessionFacts, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { type DiagnosticEntry, diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { projectionOf } from './projections.ts'
import type { LiveSession, State } from './state.ts'

/** A row of a list: of children, or of roots. */
export type Listed = SubagentListEntry | SessionSummary
/** What was read of a session, before what frames said since. */
export type Base = Listed | SessionDetail | PendingApproval

/** Its row in a list, else its detail when it was opened from elsewhere, else the question it asks. */
export function baseOf(state: State, id: SessionId): Base | undefined {
  const listed = state.entries.get(id) ?? state.summaries.get(id)
  if (listed !== undefined) return listed
  const held = state.details.get(id)
  if (held?.status === 'ready') return held.detail
  return questionOf(state.approvals, id)
}

const questions = new WeakMap<State['approvals'], ReadonlyMap<SessionId, PendingApproval>>()

/** The first question that a session asks. */
export function questionOf(approvals: State['approvals'], id: SessionId): PendingApproval | undefined {
  if (approvals.length === 0) return undefined
  const held = questions.get(approvals) ?? new Map(approvals.toReversed().map(one => [one.sessionId, one]))
  questions.set(approvals, held)
  return held.get(id)
}

export function rootLabel(summary: SessionSummary, live: LiveSession | undefined): string {
  return projectionOf(live, 'title') ?? summary.title ?? 'New session'
}

/** `undefined`: there is none, and the short id stands for it. */
export function childLabel(
  entry: Extract<SubagentListEntry, { kind: 'child' }>,
  live: LiveSession | undefined,
): string | undefined {
  return projectionOf(live, 'subagent')?.label ?? entry.label
}

export function diagnosticLabel(entry: DiagnosticEntry): string {
  return entry.label ?? entry.title ?? diagnosticWord(entry)
}

/** What became of its latest turn, as frames said it last. */
export function outcomeIn(live: LiveSession | undefined, facts: SessionFacts): Outcome | null | undefined {
  const told = projectionOf(live, 'outcome')
  return told === undefined ? facts.outcome : told
}

export function activityIn(live: LiveSession | undefined, listed: Activity): Activity {
  return live?.activity ?? listed
}

/** How a listed session is called, for those who look through all of them: its view is not made for it. */
export function labelOfListed(listed: Listed, live: LiveSession | undefined): string {
  if (!('kind' in listed)) return rootLabel(listed, live)
  if (listed.kind === 'diagnostic') return diagnosticLabel(listed)
  return childLabel(listed, live) ?? shortId(listed.id)
}

/** The state in which its row shows it, `null` of a record that cannot be read. */
export function rowStateOfListed(listed: Listed, live: LiveSession | undefined): RowState | null {
  if ('kind' in listed && listed.kind === 'diagnostic') return null
  return rowState(outcomeIn(live, listed.facts ?? {}), activityIn(live, listed.activity))
}
