import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { withKey } from './keyed.ts'
import type { Cell, LiveSession, State } from './state.ts'

export interface Values {
  readonly asOfSeq: number
  readonly values: Readonly<Record<string, Json>>
}

/** One published value: the higher seq wins, an equal or lower one changes nothing. */
export function withValue(
  state: State,
  id: SessionId,
  { key, value, seq }: { readonly key: string; readonly value: Json; readonly seq: number },
): State {
  const live = currentLive(state, id)
  const held = live.cells.get(key)
  if (seq <= live.floor || (held !== undefined && seq <= held.seq)) return state
  return withLive(state, id, { cells: new Map(live.cells).set(key, { value, seq }) })
}

/** What a subscription says a session stands at: it replaces everything held, and what is not in it is gone. */
export function withSnapshot(state: State, id: SessionId, snapshot: Values): State {
  return withLive(state, id, { cells: cellsOf(snapshot), floor: snapshot.asOfSeq })
}

/**
 * What a page of a log says its session stands at. Frames of this subscription are newer where their seq is higher;
 * what was held before it counts for nothing.
 */
export function withBaseline(state: State, id: SessionId, baseline: Values): State {
  const held = state.live.get(id)
  if (held?.epoch !== state.epoch) return withSnapshot(state, id, baseline)
  if (baseline.asOfSeq < held.floor) return state
  const newer = [...held.cells].filter(([, cell]) => cell.seq > baseline.asOfSeq)
  return withLive(state, id, {
    cells: new Map([...cellsOf(baseline), ...newer]),
    floor: baseline.asOfSeq,
  })
}

export function withLive(state: State, id: SessionId, change: Partial<LiveSession>): State {
  return { ...state, live: withKey(state.live, id, { ...currentLive(state, id), ...change }) }
}

/** Values of an earlier subscription are shown until this one says better, whatever it says. */
function currentLive(state: State, id: SessionId): LiveSession {
  const live = state.live.get(id)
  if (live?.epoch === state.epoch) return live
  const cells = new Map([...(live?.cells ?? [])].map(([key, { value }]) => [key, { value, seq: -1 }]))
  return { epoch: state.epoch, floor: -1, cells }
}

function cellsOf({ asOfSeq, values }: Values): ReadonlyMap<string, Cell> {
  return new Map(Object.entries(values).map(([key, value]) => [key, { value, seq: asOfSeq }]))
}
