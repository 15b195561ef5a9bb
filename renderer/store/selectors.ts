import type { SessionDetail } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
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

/** Children of a listed parent that are alive now. */
export function activeChildrenOf(state: State, id: SessionId): number {
  const list = state.lists.get(id)
  if (list?.status !== 'ready') return 0
  let count = 0
  for (const entry of list.entries) {
    const activity =
      state.live.get(entry.id)?.activity ?? (entry.kind === 'child' ? entry.activity : 'inactive')
    if (activity === 'running') count += 1
  }
  return count
}
