import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { deepFreeze } from '#shared/session/json.ts'
import type { LoadedSession, SessionPersistence } from '../store/persistence.ts'
import { Listeners } from './listeners.ts'
import type { SaveTrouble } from './save-trouble.ts'
import { loggable, Session, TAIL } from './session.ts'
import { WriteBehind } from './write-behind.ts'

/** Events that all live sessions together keep in memory. */
const MOST_IN_MEMORY = 10_000
/** Of one, however many there are: a window's first page. */
const LEAST_TAIL = 100

export interface LiveSessionsDeps {
  readonly persistence: Pick<SessionPersistence, 'append' | 'create' | 'readFrom'>
  readonly now: () => number
  readonly onError: (error: unknown) => void
  readonly onTrouble: (trouble: SaveTrouble | null) => void
}

/** The sessions that this process hosts, each with its one writer. */
export class LiveSessions {
  readonly #deps: LiveSessionsDeps
  readonly #sessions = new Map<SessionId, Session>()
  readonly #writer: WriteBehind
  readonly #onEvent: Listeners<[Session, StoredEvent]>
  readonly #onAdded: Listeners<[Session, LoadedSession]>
  readonly #onRemoved: Listeners<[Session]>
  readonly #beforeRemoval: ((session: Session) => Promise<void>)[] = []

  constructor(deps: LiveSessionsDeps) {
    this.#deps = deps
    this.#onEvent = new Listeners(deps.onError)
    this.#onAdded = new Listeners(deps.onError)
    this.#onRemoved = new Listeners(deps.onError)
    this.#writer = new WriteBehind({
      persistence: deps.persistence,
      onTrouble: deps.onTrouble,
      onConflict: session => this.#fence(session),
    })
  }

  /** What saving fails with at the moment, else `null`. */
  get trouble(): SaveTrouble | null {
    return this.#writer.trouble
  }

  get(id: SessionId): Session | undefined {
    return this.#sessions.get(id)
  }

  list(): Session[] {
    return [...this.#sessions.values()]
  }

  /** Every committed event of every live session, in order per session. */
  onEvent(listener: (session: Session, event: StoredEvent) => void): () => void {
    return this.#onEvent.add(listener)
  }

  /** Before any event of it is announced. `loaded` is what it starts from. */
  onAdded(listener: (session: Session, loaded: LoadedSession) => void): () => void {
    return this.#onAdded.add(listener)
  }

  onRemoved(listener: (session: Session) => void): () => void {
    return this.#onRemoved.add(listener)
  }

  /** What is to be stored of a session before it is read from the store. Awaited while it is still live; a failure costs nothing. */
  beforeRemoval(work: (session: Session) => Promise<void>): void {
    this.#beforeRemoval.push(work)
  }

  /**
   * Writes header and first events as one durable transaction, then publishes the session.
   * @param seed inherited events, with the seqs they had in the source: 0 to n−1.
   * @throws SubagentError `DUPLICATE_CHILD` or WorkbenchError `SESSION_EXISTS` for an id in use, `BAD_REQUEST` for
   * events that cannot be stored.
   */
  async create(
    header: SessionHeader,
    own: readonly NewEvent[],
    seed: readonly StoredEvent[] = [],
  ): Promise<Session> {
    if (this.#sessions.has(header.id)) throw duplicate(header)
    const time = this.#deps.now()
    const events: StoredEvent[] = [
      ...seed.map(deepFreeze),
      ...own.map((event, index) =>
        Object.freeze({ seq: seed.length + index, time, type: event.type, data: loggable(event) }),
      ),
    ]
    await this.#deps.persistence.create(header, events).catch((error: unknown) => {
      throw error instanceof WorkbenchError && error.code === 'SESSION_EXISTS' ? duplicate(header) : error
    })
    return this.adopt({ header, events, checkpoint: [], waitingForApproval: false })
  }

  /**
   * Publishes a session that was loaded from the store. At most one per id.
   * @throws as `create` for an id in use, WorkbenchError `NOT_SAVED` while events of its last stay here are on
   * their way to the store: what was loaded does not hold them.
   */
  adopt(loaded: LoadedSession): Session {
    const { id } = loaded.header
    if (this.#sessions.has(id)) throw duplicate(loaded.header)
    if (this.#writer.isUnsaved(id)) {
      throw new WorkbenchError('NOT_SAVED', `The record of ${id} is still being saved.`)
    }
    const session = new Session(loaded.header, loaded.events, {
      now: this.#deps.now,
      tail: () => this.#tailOfEach(),
      onAppend: (from, event) => {
        this.#writer.enqueue(from, event)
        this.#onEvent.tell(from, event)
      },
    })
    this.#sessions.set(session.id, session)
    this.#onAdded.tell(session, loaded)
    return session
  }

  /** Everything appended so far, by any session, is durable. @throws WorkbenchError `NOT_SAVED`. */
  flush(): Promise<void> {
    return this.#writer.flush()
  }

  /** The last flush: afterwards nothing is saved any more. @throws WorkbenchError `NOT_SAVED`. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  /** Saves what is left and lets go. A session that cannot be saved is let go as well: its events are kept. */
  async dispose(session: Session): Promise<void> {
    if (this.#sessions.get(session.id) !== session) return
    for (const work of this.#beforeRemoval) await work(session).catch(this.#deps.onError)
    try {
      await this.flush()
    } finally {
      if (this.#sessions.get(session.id) === session) {
        session.close()
        this.#sessions.delete(session.id)
        this.#onRemoved.tell(session)
      }
    }
  }

  /** Memory does not grow with the number of live sessions beyond that of twenty. */
  #tailOfEach(): number {
    const share = Math.floor(MOST_IN_MEMORY / Math.max(1, this.#sessions.size))
    return Math.max(LEAST_TAIL, Math.min(TAIL, share))
  }

  #fence(session: Session): void {
    this.#deps.onError(
      new WorkbenchError(
        'SEQ_CONFLICT',
        `The record of ${session.id} was changed by someone else; it is closed here.`,
      ),
    )
    session.close()
    if (this.#sessions.get(session.id) !== session) return
    this.#sessions.delete(session.id)
    this.#onRemoved.tell(session)
  }
}

function duplicate(header: SessionHeader): WorkbenchError {
  return header.origin === 'subagent'
    ? new SubagentError('DUPLICATE_CHILD', `There is a session ${header.id} already.`)
    : new WorkbenchError('SESSION_EXISTS', `There is a session ${header.id} already.`)
}
