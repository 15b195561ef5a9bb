import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { withKeys, withoutKeys } from './keyed.ts'
import { isSameJson } from './same-json.ts'
import type { ChildList, State } from './state.ts'

/**
 * The children of a parent as one listing gave them. `asked`: the state when it was asked for. What frames said since
 * is newer: whoever was removed meanwhile does not come back, and what this subscription told of a child stays; what
 * an earlier one told is over. A row that says the same as before keeps its object, so that nothing renders for it.
 */
export function withEntries(
  state: State,
  parentId: SessionId,
  answer: readonly SubagentListEntry[],
  asked: State,
): State {
  if (isKnown(asked, parentId) && !isKnown(state, parentId)) return state
  const there =
    state.entries === asked.entries
      ? answer
      : answer.filter(({ id }) => state.entries.has(id) || !asked.entries.has(id))
  const listed = there.map(entry => {
    const before = state.entries.get(entry.id)
    return before !== undefined && isSameJson(before, entry) ? before : entry
  })
  const held = state.lists.get(parentId)
  const before = held?.status === 'ready' ? held.entries : []
  const kept = new Set(listed.map(({ id }) => id))
  const gone = before.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
  const over = listed.flatMap(({ id }) => (isOver(state, id, asked.epoch) ? [id] : []))
  return {
    ...state,
    lists: withList(state.lists, parentId, listed),
    entries: withKeys(
      withoutKeys(state.entries, gone),
      listed.map(entry => [entry.id, entry] as const),
    ),
    parents: withKeys(
      state.parents,
      listed.map(({ id }) => [id, parentId] as const),
    ),
    live: withoutKeys(state.live, over),
  }
}

/** The same map when the list is what it was. */
function withList(
  lists: State['lists'],
  parentId: SessionId,
  entries: readonly SubagentListEntry[],
): State['lists'] {
  const held = lists.get(parentId)
  const isAsBefore =
    held?.status === 'ready' &&
    held.failure === null &&
    held.entries.length === entries.length &&
    entries.every((entry, index) => entry === held.entries[index])
  if (isAsBefore) return lists
  const list: ChildList = { status: 'ready', entries, failure: null }
  return new Map(lists).set(parentId, list)
}

/** What frames of an earlier subscription said of a session: a list that was asked for since knows better. */
export function isOver({ live }: State, id: SessionId, epoch: number): boolean {
  return (live.get(id)?.epoch ?? epoch) < epoch
}

function isKnown({ summaries, entries, parents }: State, id: SessionId): boolean {
  return summaries.has(id) || entries.has(id) || parents.has(id)
}
