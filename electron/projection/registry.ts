import { Fold, type FoldSnapshot } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { Listeners } from '../session/listeners.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { LoadedSession, SessionCheckpoint, SessionPersistence } from '../store/persistence.ts'

/** A published value may have changed: read it with `valueOf`. `seq` is the event that did it. */
export interface ProjectionChange {
  readonly session: Session
  readonly key: string
  readonly seq: number
}

/** Events of a log that are read at a time. */
const PIECE = 500

/**
 * Drives every unit over every event of every live session (contracts §3). Values are computed when they are
 * read, not per event.
 */
export class ProjectionRegistry {
  readonly units: readonly Unit[]
  readonly #published: ReadonlySet<string>
  readonly #folds = new Map<SessionId, Fold>()
  readonly #catchingUp = new WeakSet<Fold>()
  readonly #onChanged: Listeners<[ProjectionChange]>
  readonly #onError: (error: unknown) => void
  readonly #readFrom: SessionPersistence['readFrom']

  /** @param readFrom where missed events are that are no longer in memory; absent: they are reported as lost. */
  constructor(
    units: readonly Unit[],
    onError: (error: unknown) => void,
    readFrom: SessionPersistence['readFrom'] = async () => [],
  ) {
    this.units = units
    this.#published = new Set(units.filter(unit => unit.view !== undefined).map(unit => unit.key))
    this.#onChanged = new Listeners(onError)
    this.#onError = onError
    this.#readFrom = readFrom
  }

  /**
   * Follows `live`: a session is folded before anyone else hears of it. Subscribe this one first. Sessions that are
   * live already are folded from their beginning.
   */
  follow(live: Pick<LiveSessions, 'list' | 'onAdded' | 'onEvent'>): void {
    live.onAdded((session, loaded) => this.#begin(session, loaded))
    live.onEvent((session, event) => this.#hear(session, event))
    for (const session of live.list()) this.#begin(session)
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

  #begin(session: Session, loaded?: LoadedSession): Fold {
    const { checkpoint = [], events = [] } = loaded ?? {}
    const fold = Fold.restore(this.units, session.header, checkpoint, events.at(-1)?.seq ?? -1)
    this.#folds.set(session.id, fold)
    for (const event of dueAmong(events, fold)) fold.apply(event)
    this.#catchUp(session, fold)
    return fold
  }

  #hear(session: Session, event: StoredEvent): void {
    const fold = this.#folds.get(session.id) ?? this.#begin(session)
    if (event.seq > fold.floor) this.#catchUp(session, fold)
    else this.#take(session, fold, event)
  }

  #take(session: Session, fold: Fold, event: StoredEvent): void {
    for (const key of fold.apply(event)) {
      if (this.#published.has(key)) this.#onChanged.tell({ session, key, seq: event.seq })
    }
  }

  #feed(session: Session, fold: Fold, events: readonly StoredEvent[]): void {
    for (const event of dueAmong(events, fold)) this.#take(session, fold, event)
  }

  /** A fold that missed events gets them: at once where memory has them, else from the log. Until then it stands still. */
  #catchUp(session: Session, fold: Fold): void {
    this.#feed(session, fold, session.tail)
    if (fold.floor >= session.nextSeq || this.#catchingUp.has(fold)) return
    this.#catchingUp.add(fold)
    this.#readMissed(session, fold)
      .catch(this.#onError)
      .finally(() => this.#catchingUp.delete(fold))
  }

  async #readMissed(session: Session, fold: Fold): Promise<void> {
    while (fold.floor < session.nextSeq && this.#folds.get(session.id) === fold) {
      const due = fold.floor
      this.#feed(session, fold, await this.#readFrom(session.id, due, PIECE))
      this.#feed(session, fold, session.tail)
      if (fold.floor === due) throw new Error(`event ${due} of session ${session.id} is nowhere to be found`)
    }
  }
}

/** Those that are due in a run of events: none where the first that is due is not among them. */
function dueAmong(events: readonly StoredEvent[], { floor }: Fold): readonly StoredEvent[] {
  const first = events[0]?.seq ?? 0
  return first > floor ? [] : events.slice(floor - first)
}
