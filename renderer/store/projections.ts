import type { ProjectionValues, UnitKey } from '#shared/projection/units.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { LiveSession, State } from './state.ts'

/**
 * The last published value of one projection, `undefined` while nothing is known of it. The host validated it
 * against the unit's own schema before it was sent.
 */
export function projectionOf<K extends UnitKey>(live: LiveSession | undefined, key: K): ProjectionValues[K] {
  return live?.cells.get(key)?.value as ProjectionValues[K]
}

export const selectValue =
  <K extends UnitKey>(id: SessionId, key: K) =>
  (state: State): ProjectionValues[K] =>
    projectionOf(state.live.get(id), key)
