import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { Json } from '#shared/session/json.ts'
import { coldOutcome, outcomeSchema } from '#shared/session/outcome.ts'

const OUTCOME_KEY = 'outcome'
const valueSchema = outcomeSchema.nullable()

/** A published value of a session that no process hosts: what looks alive in it is over (contracts §6). */
export function asReadCold(key: string, value: Json): Json {
  if (key !== OUTCOME_KEY || !isPerhapsAlive(value)) return value
  const parsed = valueSchema.safeParse(value)
  return parsed.success ? coldOutcome(parsed.data) : value
}

/** Spares the parse for the many that are over. */
function isPerhapsAlive(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return value['kind'] === 'running' || value['kind'] === 'waiting'
}

export function snapshotReadCold(snapshot: FoldSnapshot): FoldSnapshot {
  const { [OUTCOME_KEY]: outcome } = snapshot.values
  if (outcome === undefined) return snapshot
  return { ...snapshot, values: { ...snapshot.values, [OUTCOME_KEY]: asReadCold(OUTCOME_KEY, outcome) } }
}
