import type { SessionDetail } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { changedKeys } from './keyed.ts'
import { activityIn } from './listed.ts'
import { viewOf } from './session-view.ts'
import type { DetailState, State } from './state.ts'
import type { Transcript } from './transcripts.ts'

export const selectOpen = (state: State): SessionId | null => state.open

export const selectTranscript =
  (id: SessionId) =>
  (state: State): Transcript | undefined =>
    state.transcripts.get(id)

export const selectDetailState =
  (id: SessionId) =>
  (state: State): DetailState | undefined =>
    state.details.get(id)

export const selectDetail =
  (id: SessionId) =>
  (state: State): SessionDetail | null => {
    const held = state.details.get(id)
    return held?.status === 'ready' ? held.detail : null
  }

/** From the root down to the session, itself included. A cycle in damaged records ends the walk. */
export function lineageOf(state: State, id: SessionId): readonly SessionId[] {
  const path: SessionId[] = [id]
  const met = new Set(path)
  for (
    let above = state.parents.get(id);
    above !== undefined && !met.has(above);
    above = state.parents.get(above)
  ) {
    met.add(above)
    path.unshift(above)
  }
  return path
}

export function rootOf(state: State, id: SessionId): SessionId {
  return lineageOf(state, id)[0] ?? id
}

/** Children of a listed parent that are alive now, while it waits for them: at no other time they are shown. */
export function activeChildrenOf(state: State, id: SessionId): number {
  const list = state.lists.get(id)
  if (list?.status !== 'ready' || !waitsForChildren(state, id)) return 0
  const { live } = state
  const held = counts.get(list.entries)
  if (held?.live === live) return held.count
  let count = held?.count ?? 0
  if (held === undefined) for (const entry of list.entries) count += aliveIn(live, entry)
  else {
    for (const changed of changedKeys(held.live, live)) {
      const entry = state.parents.get(changed) === id ? state.entries.get(changed) : undefined
      if (entry !== undefined) count += aliveIn(live, entry) - aliveIn(held.live, entry)
    }
  }
  counts.set(list.entries, { live, count })
  return count
}

/** By list: of ten thousand children only those are looked at of which frames said something since. */
const counts = new WeakMap<
  readonly SubagentListEntry[],
  { readonly live: State['live']; readonly count: number }
>()

function waitsForChildren(state: State, id: SessionId): boolean {
  const view = viewOf(state, id)
  return view?.kind === 'session' && view.status.state === 'running' && view.facts.outcome?.kind === 'waiting'
}

function aliveIn(live: State['live'], entry: SubagentListEntry): 0 | 1 {
  const listed = entry.kind === 'child' ? entry.activity : 'inactive'
  return activityIn(live.get(entry.id), listed) === 'running' ? 1 : 0
}
