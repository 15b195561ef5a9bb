import type { SessionDetail, SessionSummary } from '#shared/contract/session-shapes.ts'
import type { PendingApproval } from '#shared/contract.ts'
import type { Doing } from '#shared/projection/units/doing.ts'
import { tokensOf } from '#shared/projection/units/usage.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import { toolLine } from '#shared/session/tool-line.ts'
import type {
  Activity,
  ChildWarning,
  SessionFacts,
  SubagentListEntry,
} from '#shared/subagent/catalog-entry.ts'
import type { DiagnosticEntry } from '#shared/subagent/diagnostic-words.ts'
import { activityIn, type Base, baseOf, childLabel, outcomeIn, questionOf, rootLabel } from './listed.ts'
import { projectionOf } from './projections.ts'
import type { LiveSession, State } from './state.ts'
import { type Status, statusOf } from './status-of.ts'

export type ModeWord = 'session' | 'one-shot' | 'continuable'

/** One session as rows, crumbs, menus and lanes show it: what was listed, with what frames said since. */
export interface SessionView {
  readonly kind: 'session'
  readonly id: SessionId
  readonly label: string
  /** The label is the short id, since there is none. */
  readonly isUnnamed: boolean
  readonly mode: ModeWord
  readonly activity: Activity
  readonly status: Status
  readonly facts: SessionFacts
  readonly doing: Doing | null
  readonly rollup: { readonly running: number; readonly waiting: number }
  readonly hasChildren: boolean
  readonly archived: boolean
  readonly warnings: readonly ChildWarning[]
  readonly cwd: string | null
  /** Last moment known in an open turn: where the time of a dead session stops. */
  readonly through: number | null
}

/** A record that cannot be read as a child. */
export interface DiagnosticView {
  readonly kind: 'diagnostic'
  readonly id: SessionId
  readonly entry: DiagnosticEntry
}

export type AnyView = SessionView | DiagnosticView

const NO_ROLLUP = { running: 0, waiting: 0 }
const NO_WARNINGS: readonly ChildWarning[] = []

interface Cached {
  readonly live: LiveSession | undefined
  readonly seen: boolean
  readonly pending: PendingApproval | undefined
  readonly view: AnyView
}
/** By what was read: the same answer and the same frames give the same view, so an unchanged row stays as it is. */
const cache = new WeakMap<Base, Cached>()

/** The view of a session by the best that was read of it, `null` of one that nothing is known of. */
export function viewOf(state: State, id: SessionId): AnyView | null {
  const base = baseOf(state, id)
  if (base === undefined) return null
  const live = state.live.get(id)
  const seen = !state.unseen.has(id)
  const pending = questionOf(state.approvals, id)
  const cached = cache.get(base)
  if (cached?.live === live && cached?.seen === seen && cached.pending === pending) return cached.view
  const view = withQuestion(baseView(base, live, seen), pending)
  cache.set(base, { live, seen, pending, view })
  return view
}

/** What it asks is also known of a session that no process hosts, whose doing nobody publishes. */
function withQuestion(view: AnyView, pending: PendingApproval | undefined): AnyView {
  if (view.kind === 'diagnostic' || pending === undefined || view.doing?.kind === 'asking') return view
  if (view.status.state !== 'waiting') return view
  const { verb, target } = toolLine(pending.approval.name, pending.approval.input)
  return { ...view, doing: { kind: 'asking', verb, target, since: pending.approval.since } }
}

function baseView(base: Base, live: LiveSession | undefined, seen: boolean): AnyView {
  if ('kind' in base) return entryView(base, live, seen)
  if ('title' in base) return rootView(base, live, seen)
  return 'access' in base ? detailView(base, live, seen) : pendingView(base, live)
}

function detailView(detail: SessionDetail, live: LiveSession | undefined, seen: boolean): AnyView {
  const { header, label, mode, activity, facts, hasChildren, archived, descendants } = detail
  const { id } = header
  if (mode === null) return { kind: 'diagnostic', id, entry: { kind: 'diagnostic', id, reason: 'corrupt' } }
  const isUnnamed = label === shortId(id)
  const { running, waiting } = descendants
  const cwd = header.cwd ?? null
  const warnings = NO_WARNINGS
  const listed = { id, label, isUnnamed, mode, activity, facts, hasChildren, archived, warnings, cwd }
  return sessionView(live, seen, { ...listed, rollup: { running, waiting } })
}

/** A child that asks before anything else of it was read: its mode follows with its detail. */
function pendingView(pending: PendingApproval, live: LiveSession | undefined): AnyView {
  const { sessionId: id, rootId, label, cwd } = pending
  const asks: Outcome = { kind: 'waiting', on: 'approval' }
  return sessionView(live, true, {
    id,
    label,
    isUnnamed: false,
    mode: id === rootId ? 'session' : 'continuable',
    activity: 'running',
    facts: { outcome: asks },
    rollup: NO_ROLLUP,
    hasChildren: false,
    archived: false,
    warnings: NO_WARNINGS,
    cwd,
  })
}

export const selectView =
  (id: SessionId) =>
  (state: State): AnyView | null =>
    viewOf(state, id)

function rootView(summary: SessionSummary, live: LiveSession | undefined, seen: boolean): SessionView {
  return sessionView(live, seen, {
    id: summary.header.id,
    label: rootLabel(summary, live),
    isUnnamed: false,
    mode: 'session',
    activity: summary.activity,
    facts: summary.facts,
    rollup: summary.rollup,
    hasChildren: summary.hasChildren,
    archived: summary.archived,
    warnings: NO_WARNINGS,
    cwd: summary.header.cwd ?? null,
  })
}

function entryView(entry: SubagentListEntry, live: LiveSession | undefined, seen: boolean): AnyView {
  if (entry.kind === 'diagnostic') return { kind: 'diagnostic', id: entry.id, entry }
  const identity = projectionOf(live, 'subagent')
  const label = childLabel(entry, live)
  return sessionView(live, seen, {
    id: entry.id,
    label: label ?? shortId(entry.id),
    isUnnamed: label === undefined,
    mode: identity?.mode ?? entry.mode,
    activity: entry.activity,
    facts: entry.facts ?? {},
    rollup: NO_ROLLUP,
    hasChildren: entry.hasChildren,
    archived: false,
    warnings: entry.warnings ?? NO_WARNINGS,
    cwd: null,
  })
}

type Listed = Omit<SessionView, 'kind' | 'status' | 'doing' | 'through'>

function sessionView(live: LiveSession | undefined, seen: boolean, listed: Listed): SessionView {
  const facts = liveFacts(live, listed.facts)
  const activity = activityIn(live, listed.activity)
  return {
    ...listed,
    kind: 'session',
    facts,
    activity,
    status: statusOf({ outcome: facts.outcome, activity, seen }),
    doing: projectionOf(live, 'doing') ?? null,
    rollup: live?.rollup ?? listed.rollup,
    hasChildren: listed.hasChildren || live?.hasChildren === true,
    through: projectionOf(live, 'subagentTiming')?.through ?? null,
  }
}

function liveFacts(live: LiveSession | undefined, listed: SessionFacts): SessionFacts {
  if (live === undefined || live.cells.size === 0) return listed
  const outcome = outcomeIn(live, listed)
  const timing = projectionOf(live, 'subagentTiming')
  const usage = projectionOf(live, 'usage')
  const last = projectionOf(live, 'lastMessage')
  const open = projectionOf(live, 'approvals')
  return {
    ...listed,
    ...(outcome !== undefined && { outcome }),
    ...(timing && { timing: { settledMs: timing.settledMs, runningSince: timing.runningSince } }),
    ...(usage && { tokens: tokensOf(usage.own), costUsd: usage.own.costUsd }),
    ...(usage?.model && { model: usage.model }),
    ...(last && { lastActivity: last.time }),
    ...(open && { openApprovals: open.length }),
  }
}

/** Time in turns as of `now`, `null` when none is known. Frozen once the session is over. */
export function elapsedMs(view: SessionView, now: number): number | null {
  const timing = view.facts.timing
  if (timing === undefined) return null
  if (timing.runningSince === null) return timing.settledMs
  const until = view.activity === 'running' ? now : (view.through ?? timing.runningSince)
  return timing.settledMs + Math.max(0, until - timing.runningSince)
}

/** Since when it has done nothing but wait for its children (epoch ms), `null` while it does anything else. */
export function waitsSince({ facts, activity }: SessionView): number | null {
  const waits = facts.outcome?.kind === 'waiting' && facts.outcome.on === 'children' && activity === 'running'
  return waits ? (facts.lastActivity ?? null) : null
}

/** Its elapsed time moves. */
export function isTicking(view: SessionView): boolean {
  return typeof view.facts.timing?.runningSince === 'number' && view.activity === 'running'
}
