import { messageOf } from '../errors.ts'
import type { SessionEvent, StoredEvent } from '../session/events.ts'
import type { Json } from '../session/json.ts'
import { kept } from './kept.ts'
import { settled } from './settled.ts'
import type { Unit, UnitContext } from './unit.ts'

/** What a unit begins with on a log: its state after the event at `seq`, or why it has none. */
export interface Beginning {
  readonly unit: Unit
  readonly state: unknown
  readonly fault: string | null
  readonly seq: number
}

/**
 * One unit on one log. Every call into the unit or its schemas is contained here: what breaks is quarantined for
 * this log and no other.
 */
export class Cell {
  readonly unit: Unit
  /** What it begins with holds the events up to here. */
  readonly seq: number
  #state: unknown
  #fault: string | null
  /** The value last looked at, and the state that it came from. */
  #seen: { readonly state: unknown; readonly value: Json } | null = null

  constructor({ unit, state, fault, seq }: Beginning) {
    this.unit = unit
    this.seq = seq
    this.#state = state
    this.#fault = fault
  }

  get state(): unknown {
    return this.#state
  }

  get fault(): string | null {
    return this.#fault
  }

  /** @returns whether its state changed, or it broke. */
  apply(event: StoredEvent, ctx: UnitContext): boolean {
    if (this.#fault !== null) return false
    try {
      // Units are written against the typed union and promise to read defensively: see `Unit`.
      const next = this.unit.apply(this.#state, event as SessionEvent, ctx)
      if (next === this.#state) return false
      this.#state = settled(next)
    } catch (error) {
      this.#fault = messageOf(error)
    }
    return true
  }

  /**
   * The published value, `null` for a host-only unit. It is where a state is checked, and frozen, since others hold
   * it from then on: once, however often the value is read.
   */
  value(): Json {
    if (this.#fault !== null) return null
    if (this.#seen !== null && this.#seen.state === this.#state) return this.#seen.value
    try {
      this.#seen = { state: this.#state, value: lookAt(this.unit, this.#state) }
      return this.#seen.value
    } catch (error) {
      this.#fault = messageOf(error)
      return null
    }
  }
}

function lookAt(unit: Unit, state: unknown): Json {
  const checked = kept(state)
  unit.stateSchema.parse(state)
  if (unit.view === undefined) return null
  const raw = settled(unit.view(state))
  if (raw === state && unit.viewSchema === unit.stateSchema) return checked
  return kept(unit.viewSchema === undefined ? raw : unit.viewSchema.parse(raw))
}
