import { messageOf } from '#shared/errors.ts'
import { type Frame, frameSchema } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { withKey, withoutKeys } from './keyed.ts'
import { withLive, withSnapshot, withValue } from './live-values.ts'
import type { State } from './state.ts'
import { applyToTranscript } from './transcripts.ts'

/** Told about each frame that was skipped: it is logged, and kills nothing. */
type OnRejected = (frame: unknown, problem: string) => void

/**
 * A batch in, a state out: one store update per batch. A frame that is malformed, or that cannot be applied, is
 * skipped.
 */
export function applyFrames(
  state: State,
  frames: readonly unknown[],
  onRejected: OnRejected = () => {},
): State {
  let next = state
  for (const candidate of frames) {
    const parsed = frameSchema.safeParse(candidate)
    if (!parsed.success) onRejected(candidate, parsed.error.message)
    else {
      try {
        next = applyFrame(next, parsed.data)
      } catch (error) {
        onRejected(candidate, messageOf(error))
      }
    }
  }
  return next
}

function applyFrame(state: State, frame: Frame): State {
  switch (frame.kind) {
    case 'projection':
      return applyProjection(state, frame)
    case 'snapshot': {
      const { sessionId } = frame
      const next = withSnapshot(state, sessionId, frame)
      return withIdentity(withApprovalChange(noted(state, next, sessionId), 'approvals'), sessionId)
    }
    case 'added':
      return applyAdded(state, frame)
    case 'removed':
      return applyRemoved(state, frame.sessionId)
    case 'archived':
      return applyArchived(state, frame)
    case 'activity':
      return noted(state, withLive(state, frame.sessionId, { activity: frame.activity }), frame.sessionId)
    case 'rollup': {
      const { sessionId, running, waiting } = frame
      return withApprovalChange(withLive(state, sessionId, { rollup: { running, waiting } }), 'approvals')
    }
    case 'events':
    case 'behind':
    case 'text':
    case 'text-end': {
      const transcript = state.transcripts.get(frame.sessionId)
      if (transcript === undefined) return state
      const next = applyToTranscript(transcript, frame)
      if (next === transcript) return state
      return { ...state, transcripts: new Map(state.transcripts).set(frame.sessionId, next) }
    }
    case 'banner': {
      const banners = new Map(state.banners)
      if (frame.banner === null) banners.delete(frame.id)
      else banners.set(frame.id, frame.banner)
      return { ...state, banners }
    }
  }
}

function applyProjection(state: State, frame: Extract<Frame, { kind: 'projection' }>): State {
  const { sessionId, key } = frame
  const next = withValue(state, sessionId, frame)
  if (next === state) return state
  const told = withApprovalChange(noted(state, next, sessionId), key)
  return key === 'subagent' ? withIdentity(told, sessionId) : told
}

function applyAdded(state: State, { header }: Extract<Frame, { kind: 'added' }>): State {
  const parent = header.parentSession
  if (header.origin === 'subagent' && parent !== undefined) {
    const parents = withKey(state.parents, header.id, parent)
    return withLive({ ...state, parents, stale: withStale(state, parent) }, parent, { hasChildren: true })
  }
  if (state.summaries.has(header.id)) return state
  const summaries = new Map(state.summaries).set(header.id, {
    header,
    title: null,
    activity: 'inactive',
    hasChildren: false,
    archived: false,
    facts: { lastActivity: header.createdAt },
    rollup: { running: 0, waiting: 0 },
  })
  // Only its header is known yet: the list says the rest.
  return { ...state, summaries, rootsVersion: state.rootsVersion + 1 }
}

/** One that is not listed here yet is listed anew. */
function applyArchived(state: State, frame: Extract<Frame, { kind: 'archived' }>): State {
  const { sessionId, archived } = frame
  const summary = state.summaries.get(sessionId)
  if (summary === undefined) return { ...state, rootsVersion: state.rootsVersion + 1 }
  if (summary.archived === archived) return state
  return { ...state, summaries: new Map(state.summaries).set(sessionId, { ...summary, archived }) }
}

/** With everything known below it: it went with it. */
function applyRemoved(state: State, id: SessionId): State {
  const gone = treeOf(state, id)
  const parent = state.parents.get(id)
  const list = parent === undefined ? undefined : state.lists.get(parent)
  const lists = new Map(state.lists)
  for (const one of gone) lists.delete(one)
  if (parent !== undefined && list?.status === 'ready') {
    lists.set(parent, { ...list, entries: list.entries.filter(entry => entry.id !== id) })
  }
  return {
    ...state,
    lists,
    summaries: without(state.summaries, gone),
    entries: withoutKeys(state.entries, gone),
    parents: withoutKeys(state.parents, gone),
    live: withoutKeys(state.live, gone),
    details: without(state.details, gone),
    transcripts: without(state.transcripts, gone),
    // The root's own stays: when it comes back it looks as it did.
    expanded: new Set([...state.expanded].filter(one => one === id || !gone.has(one))),
    approvals: state.approvals.filter(({ sessionId, rootId }) => !gone.has(sessionId) && rootId !== id),
    open: state.open !== null && gone.has(state.open) ? null : state.open,
  }
}

/** A session and every session known to be below it. */
function treeOf({ parents }: State, id: SessionId): ReadonlySet<SessionId> {
  const children = new Map<SessionId, SessionId[]>()
  for (const [child, parent] of parents) {
    const known = children.get(parent)
    if (known === undefined) children.set(parent, [child])
    else known.push(child)
  }
  const tree = new Set([id])
  for (const one of tree) for (const child of children.get(one) ?? []) tree.add(child)
  return tree
}

/** A child whose identity came to be known after its parent was listed: it has no row yet. */
function withIdentity(state: State, id: SessionId): State {
  const parent = state.parents.get(id)
  if (parent === undefined || state.entries.has(id)) return state
  const stale = withStale(state, parent)
  return stale === state.stale ? state : { ...state, stale }
}

function withStale(state: State, parent: SessionId): State['stale'] {
  return state.lists.has(parent) && !state.stale.has(parent) ? new Set(state.stale).add(parent) : state.stale
}

function withApprovalChange(state: State, key: string): State {
  return key === 'approvals' ? { ...state, approvalsVersion: state.approvalsVersion + 1 } : state
}

/** Marks a completion that nobody looks at as unseen, and the next turn of that session as begun. */
function noted(before: State, after: State, id: SessionId): State {
  const was = outcomeKind(before, id)
  const is = outcomeKind(after, id)
  if (was === is) return after
  if (is === 'completed' && was !== undefined && after.open !== id) {
    return { ...after, unseen: new Set(after.unseen).add(id) }
  }
  if (is === 'completed' || !after.unseen.has(id)) return after
  const unseen = new Set(after.unseen)
  unseen.delete(id)
  return { ...after, unseen }
}

function outcomeKind(state: State, id: SessionId): string | null | undefined {
  const cell = state.live.get(id)?.cells.get('outcome')
  if (cell !== undefined) return (cell.value as { readonly kind?: string } | null)?.kind ?? null
  const entry = state.entries.get(id)
  const facts = entry?.kind === 'child' ? entry.facts : state.summaries.get(id)?.facts
  return facts?.outcome === undefined ? undefined : (facts.outcome?.kind ?? null)
}

function without<V>(map: ReadonlyMap<SessionId, V>, ids: ReadonlySet<SessionId>): ReadonlyMap<SessionId, V> {
  const next = new Map(map)
  for (const id of ids) next.delete(id)
  return next.size === map.size ? map : next
}
