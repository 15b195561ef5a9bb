import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentDescendantEntry } from '#shared/subagent/catalog-entry.ts'
import { diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { type SessionView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { statusOf } from '../../store/status-of.ts'
import { formatClock } from '../../ui/format.ts'
import type { MarkKind } from '../../ui/status-mark.tsx'
import type { Activity } from './lane-activity.ts'

/** One agent of a tree and the time it spent in turns, as far as that is known. */
export interface Lane {
  readonly id: SessionId
  readonly parentId: SessionId | null
  readonly label: string
  readonly depth: number
  readonly mark: MarkKind
  readonly tone: 'run' | 'wait' | 'done' | 'fail' | 'cut' | 'queue' | 'bad'
  /** Its time moves: a process works on it. */
  readonly alive: boolean
  /** Differs when its log has more to tell. */
  readonly version: string
  /** Time in turns up to the last moment known, epoch ms; `null` when nothing of it is known. */
  readonly bar: { readonly from: number; readonly to: number } | null
}

/** The root first, then its descendants in pre-order. A bar ends with the last moment known of the agent. */
export function lanesOf(
  state: State,
  root: SessionView,
  entries: readonly SubagentDescendantEntry[],
  now: number,
): readonly Lane[] {
  const lanes: Lane[] = [laneOf(root.id, null, root.label, 0, root, now)]
  for (const entry of entries) {
    const { id, parentId, depth } = entry
    if (entry.kind === 'diagnostic') {
      const label = entry.label ?? diagnosticWord(entry)
      lanes.push({
        id,
        parentId,
        label,
        depth,
        mark: 'unreadable',
        tone: 'bad',
        alive: false,
        version: '',
        bar: null,
      })
      continue
    }
    const view = viewOf(state, id)
    const known = view?.kind === 'session' ? view : null
    const facts = known?.facts ?? entry.facts ?? {}
    const activity = known?.activity ?? entry.activity
    const status = known?.status ?? statusOf({ outcome: facts.outcome, activity })
    lanes.push(laneOf(id, parentId, entry.label ?? id.slice(-8), depth, { facts, activity, status }, now))
  }
  return lanes
}

function laneOf(
  id: SessionId,
  parentId: SessionId | null,
  label: string,
  depth: number,
  { facts, activity, status }: Pick<SessionView, 'facts' | 'activity' | 'status'>,
  now: number,
): Lane {
  return {
    id,
    parentId,
    label,
    depth,
    mark: status.mark,
    tone: TONES[status.state],
    alive: activity === 'running' && status.state !== 'queued',
    version: `${status.state} ${facts.timing?.settledMs ?? ''} ${facts.openApprovals ?? ''}`,
    bar: barOf(facts, activity, now),
  }
}

const TONES: Readonly<Record<SessionView['status']['state'], Lane['tone']>> = {
  running: 'run',
  waiting: 'wait',
  completed: 'done',
  failed: 'fail',
  queued: 'queue',
  ready: 'cut',
  stopped: 'cut',
  limited: 'cut',
  interrupted: 'cut',
}

function barOf(facts: SessionView['facts'], activity: SessionView['activity'], now: number): Lane['bar'] {
  const { timing, lastActivity } = facts
  if (timing === undefined) return null
  const open = timing.runningSince
  if (open !== null && activity === 'running') return { from: open - timing.settledMs, to: now }
  const to = lastActivity ?? open
  if (to === null || to === undefined || (timing.settledMs === 0 && open === null)) return null
  return { from: to - Math.max(1000, timing.settledMs), to }
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** The time that all bars and turns take, never of no length. */
export function spanOf(
  lanes: readonly Lane[],
  logs: ReadonlyMap<SessionId, Activity | null>,
  now: number,
): Span {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  const take = (start: number, end: number) => {
    from = Math.min(from, start)
    to = Math.max(to, end)
  }
  for (const lane of lanes) {
    const log = logs.get(lane.id)
    const turns = log?.turns ?? []
    if (lane.bar !== null && (turns.length === 0 || log?.whole === false)) take(lane.bar.from, lane.bar.to)
    for (const turn of turns) take(turn.from, turn.to ?? endOf(lane, turn.from, now))
  }
  if (from > to) return { from: now - 60_000, to: now }
  return { from, to: Math.max(to, from + 5000) }
}

/** Where a turn without an end stops: now while it runs, else with the last moment known. */
export function endOf(lane: Lane, from: number, now: number): number {
  if (lane.alive) return Math.max(now, from)
  return Math.max(from, lane.bar?.to ?? from)
}

/** Round moments inside the span for the axis, at most five. */
export function ticksOf({ from, to }: Span): { readonly step: number; readonly ticks: readonly number[] } {
  const most = to - from < 5 * MINUTE ? 3 : 4
  const step = STEPS.find(ms => (to - from) / ms <= most) ?? Math.ceil((to - from) / most / DAY) * DAY
  const ticks: number[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at)
  return { step, ticks }
}

/** A moment as its axis needs it: seconds, minutes or days. */
export function tickWords(at: number, step: number): string {
  if (step >= DAY) return new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
  const clock = formatClock(at)
  return step < MINUTE ? clock : clock.slice(0, 5)
}

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const STEPS = [
  1000,
  2000,
  5000,
  10_000,
  15_000,
  30_000,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  120 * MINUTE,
  360 * MINUTE,
  720 * MINUTE,
  DAY,
]
