import type { SessionId } from '#shared/session/ids.ts'
import { changedKeys } from '../../store/keyed.ts'
import type { State } from '../../store/state.ts'

/** Every session whose view may be another one in `after`, found without looking at the others. */
export function changedSessions(before: State, after: State): ReadonlySet<SessionId> {
  const changed = new Set(changedKeys(before.live, after.live))
  for (const id of changedKeys(before.entries, after.entries)) changed.add(id)
  // These three change seldom, and the last two are short.
  if (before.summaries !== after.summaries) addDifferent(before.summaries, after.summaries, changed)
  if (before.details !== after.details) addDifferent(before.details, after.details, changed)
  if (before.approvals !== after.approvals) {
    for (const { sessionId } of [...before.approvals, ...after.approvals]) changed.add(sessionId)
  }
  return changed
}

function addDifferent<V>(
  before: ReadonlyMap<SessionId, V>,
  after: ReadonlyMap<SessionId, V>,
  changed: Set<SessionId>,
): void {
  for (const [id, value] of after) if (before.get(id) !== value) changed.add(id)
  for (const id of before.keys()) if (!after.has(id)) changed.add(id)
}

/** Every session below which other rows may be open in `after`. */
export function changedBelow(before: State, after: State): ReadonlySet<SessionId> {
  const changed = new Set<SessionId>()
  if (before.lists !== after.lists) addDifferent(before.lists, after.lists, changed)
  if (before.expanded !== after.expanded) {
    for (const id of before.expanded) if (!after.expanded.has(id)) changed.add(id)
    for (const id of after.expanded) if (!before.expanded.has(id)) changed.add(id)
  }
  return changed
}
