import type { ProjectionValues, UnitKey } from '#shared/projection/units.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import type { ProjectionRegistry } from './registry.ts'

/** Published values by their types. Whoever published them checked each against the schema of its unit. */
export function typedValues(values: Readonly<Record<string, Json>>): ProjectionValues {
  return values as ProjectionValues
}

/** One value of a live session by its type; `null` when it is not live or its unit failed. */
export function liveValue<K extends UnitKey>(
  registry: ProjectionRegistry,
  id: SessionId,
  key: K,
): NonNullable<ProjectionValues[K]> | null {
  const value = registry.valueOf(id, key) ?? null
  return typedValues({ [key]: value })[key] ?? null
}
