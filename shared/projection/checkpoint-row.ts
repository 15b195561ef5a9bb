import type { Json } from '../session/json.ts'
import type { Unit } from './unit.ts'

/** A stored fold shortcut of one unit: its state after the event at `seq` (−1: before any). */
export interface CheckpointRow {
  readonly key: string
  readonly stateVersion: number
  readonly seq: number
  readonly state: unknown
}

/** The state that a row of this unit gives, boxed; `undefined` when it is not usable. Never throws. */
export function stateOfRow(unit: Unit, row: CheckpointRow): { readonly state: unknown } | undefined {
  if (row.stateVersion !== unit.stateVersion) return undefined
  try {
    const parsed = unit.stateSchema.safeParse(row.state)
    return parsed.success ? { state: parsed.data } : undefined
  } catch {
    // A schema that throws instead of answering: the row is as good as absent.
    return undefined
  }
}

/** The published value that one stored row gives, or `undefined` when it is not usable. Never throws. */
export function viewCheckpointRow(unit: Unit, row: CheckpointRow): Json | undefined {
  const usable = unit.view === undefined ? undefined : stateOfRow(unit, row)
  if (usable === undefined) return undefined
  try {
    const value = unit.view?.(usable.state)
    // A view that is the state itself was checked a line above.
    const isChecked = value === usable.state && unit.viewSchema === unit.stateSchema
    return (isChecked || unit.viewSchema === undefined ? value : unit.viewSchema.parse(value)) as Json
  } catch {
    // A view or a schema that throws: the row is as good as absent.
    return undefined
  }
}
