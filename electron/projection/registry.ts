import { Fold, type FoldSnapshot } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { Listeners } from '../session/listeners.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { LoadedSession, SessionCheckpoint } from '../store/persistence.ts'

/** A published value may have changed: read it with `valueOf`. `seq` is the event that did it. */
export interface ProjectionChange {
  readonly session: Session
  readonly key: string
  readonly seq: number
}

/**
 * Drives every unit over every event of every live session (contracts §3). Values are computed when they are
 * read, not per event.
 */
export class ProjectionRegistry {
  readonly units: readonly Unit[]
  readonly #published: ReadonlySet<string>
  readonly #folds = new Map<SessionId, Fold>()
  readonly #onChanged: Listeners<[ProjectionChange]>

  constructor(units: readonly Unit[], onError: (error: unknown) => void) {
    this.units = units
    this.#published = new Set(units.filter(unit => unit.view !== undefined).map(unit => unit.key))
    this.#onChanged = new Listeners(onError)
  }

  /** Follows `live`: a session is folded before anyone else hears of it. Subscribe this one first. */
  follow(live: LiveSessions): void {
    live.onAdded((session, loaded) => this.#folds.set(session.id, this.#foldOf(loaded)))
    live.onEvent((session, event) => this.#apply(session, event))
  }

  /** Ends with the session. Called last, so that others may read final values while it goes. */
  forget(session: Session): void {
    this.#folds.delete(session.id)
  }

  onChanged(listener: (change: ProjectionChange) => void): () => void {
    return this.#onChanged.add(listener)
  }

  /** One synchronous cut of a live session, `null` for one that is not live. */
  snapshot(id: SessionId): FoldSnapshot | null {
    return this.#folds.get(id)?.snapshot() ?? null
  }

  /** One key, folding and validating no other. `undefined`: not live, or no such key. */
  valueOf(id: SessionId, key: string): Json | undefined {
    return this.#folds.get(id)?.valueOf(key)
  }

  stateOf(id: SessionId, key: string): unknown {
    return this.#folds.get(id)?.stateOf(key)
  }

  checkpoint(session: Session): SessionCheckpoint | null {
    const fold = this.#folds.get(session.id)
    if (fold === undefined) return null
    const rows = fold.checkpoint()
    const faults = fold.faults().map(fault => fault.key)
    return { sessionId: session.id, facts: lifecycleFacts(session.header), rows, faults }
  }

  #foldOf({ header, events, checkpoint }: LoadedSession): Fold {
    const fold = Fold.restore(this.units, header, checkpoint, events.at(-1)?.seq ?? -1)
    const first = events[0]?.seq ?? 0
    for (const event of events.slice(Math.max(0, fold.floor - first))) fold.apply(event)
    return fold
  }

  #apply(session: Session, event: StoredEvent): void {
    for (const key of this.#folds.get(session.id)?.apply(event) ?? []) {
      if (this.#published.has(key)) this.#onChanged.tell({ session, key, seq: event.seq })
    }
  }
}
