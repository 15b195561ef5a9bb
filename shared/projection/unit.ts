import type { z } from 'zod'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'

/** The header facts a unit may use, to tell its own suffix from an inherited prefix (contracts §3). */
export type UnitContext = Pick<SessionHeader, 'seedLength' | 'parentSession' | 'createdAt'>

export function isInherited(event: { readonly seq: number }, ctx: UnitContext): boolean {
  return event.seq < (ctx.seedLength ?? 0)
}

/**
 * A pure fold over a session's log (contracts §3). State is plain JSON. `apply` returns the same reference for
 * an event that does not interest it: then nothing is published. Events come from disk with unchecked data, so
 * a unit reads fields defensively and never throws; what it cannot compute is `null`, never an absent key.
 * A unit without `view` is host-only: checkpointed, not published.
 */
export interface Unit<K extends string = string, S = unknown, V = unknown> {
  readonly key: K
  /** Raised whenever the state of an old checkpoint would be read wrongly. */
  readonly stateVersion: number
  readonly stateSchema: z.ZodType<S>
  init(): S
  apply(state: S, event: SessionEvent, ctx: UnitContext): S
  readonly view?: (state: S) => V
  readonly viewSchema?: z.ZodType<V>
}

/** Keeps the literal key and the state type of a unit. */
export function defineUnit<const K extends string, S, V>(unit: Unit<K, S, V>): Unit<K, S, V> {
  return unit
}
