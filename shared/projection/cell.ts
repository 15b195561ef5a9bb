import { messageOf } from '../errors.ts'
import type { SessionEvent, StoredEvent } from '../session/events.ts'
import { type Json, seal } from '../session/json.ts'
import type { Unit, UnitContext } from './unit.ts'

/** What a unit begins with on a log: its state after the event at `seq`, or why it has none. */
export interface Beginning {
  readonly unit: Unit
  readonly state: unknown
  readonly fault: string | null
  readonly seq: number
  /** The value of that state, where it was looked at already. */
  readonly seen?: Json
}

/**
 * One unit on one log. Every call into the unit or its schemas is contained here: what breaks is quarantined for this log
 * and no other.
 */
export class Cell {
  readonly unit: Unit
  /** What it begins with holds the events up to here. */
  readonly seq: number
  #state: unknown
  #fault: string | null
  /** The value last looked at, and the state that it came from. */
  #seen: { readonly state: unknown; readonly value: Json } | null

  constructor({ unit, state, fault, seq, seen }: Beginning) {
    this.unit = unit
    this.seq = seq
    this.#state = state
    this.#fault = fault
    this.#seen = seen === undefined ? null : { state, value: seen }
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
   * The published value, `null` for a host-only unit. Reading it is what checks and freezes a state, since others may
   * hold it from then on: once, however often it is read.
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

/**
 * The value that a state gives. Both are plain JSON and frozen when this returns.
 * @throws Error whatever the unit and its schema throw, and naming what JSON would lose.
 */
export function lookAt({ view, stateSchema, viewSchema }: Unit, state: unknown): Json {
  const kept = seal(state)
  const raw = view === undefined ? null : settled(view(state))
  const value = view === undefined || viewSchema === undefined ? raw : viewSchema.parse(raw)
  if (raw === state && viewSchema === stateSchema) return kept as Json
  stateSchema.parse(state)
  return seal(value) as Json
}

/** @throws Error for a promise: units are synchronous. Its own end is of no interest, and must not go unhandled. */
export function settled<T>(value: T): T {
  if (!(value instanceof Promise)) return value
  value.catch(() => {})
  throw new Error('a unit answered with a promise')
}
