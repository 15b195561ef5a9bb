import type { z } from 'zod'
import type { EventOf, EventType } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'

/** The header facts a unit may use, to tell its own suffix from an inherited prefix (contracts §3). */
export type UnitContext = Pick<SessionHeader, 'seedLength' | 'parentSession' | 'createdAt'>

export function isInherited(event: { readonly seq: number }, ctx: UnitContext): boolean {
  return event.seq < (ctx.seedLength ?? 0)
}

/**
 * A pure fold over a session's log (contracts §3). State is plain JSON and never changed in place. `apply` returns
 * the same reference for an event that does not interest it: then nothing is published. Events come from disk with
 * unchecked data, so a unit reads fields defensively and never throws; what it cannot compute is `null`, never an
 * absent key. A unit without `view` is host-only: checkpointed, not published.
 */
export interface Unit<K extends string = string, S = unknown, V = unknown, T extends EventType = EventType> {
  readonly key: K
  /** Raised whenever the state of an old checkpoint would be read wrongly. */
  readonly stateVersion: number
  readonly stateSchema: z.ZodType<S>
  /** The types of the events that interest it: it is shown no other. Absent: all of them. */
  readonly on?: readonly T[]
  /** Asked for once, whatever the number of logs. */
  init(): S
  apply(state: S, event: AnyOf<T>, ctx: UnitContext): S
  readonly view?: (state: S) => V
  readonly viewSchema?: z.ZodType<V>
}

/** Those events, each with its own data. */
type AnyOf<T extends EventType> = { [E in T]: EventOf<E> }[T]

/** Keeps the literal key, the state type and the event types of a unit. */
export function defineUnit<const K extends string, S, V, const T extends EventType = EventType>(
  unit: Unit<K, S, V, T>,
): Unit<K, S, V, T> {
  return unit
}
