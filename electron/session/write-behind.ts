import { messageOf, WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { AppendBatch, SessionPersistence } from '../store/persistence.ts'
import type { Session } from './session.ts'

const WINDOW_MS = 50
const RETRY_MS = 1000

export interface WriteBehindDeps {
  readonly persistence: Pick<SessionPersistence, 'append'>
  /** Told when saving starts to fail, and `null` when it works again. */
  readonly onTrouble: (problem: string | null) => void
  /** The log of this session moved on under us: it must not be written to any more. */
  readonly onConflict: (session: Session) => void
}

interface Pending {
  readonly session: Session
  events: StoredEvent[]
}

interface Barrier {
  readonly resolve: () => void
  readonly reject: (error: WorkbenchError) => void
}

/**
 * Saves what sessions append: one transaction for all of them, at most 50 ms after the first event. `flush`
 * is the barrier: when it resolves, everything appended before is durable. A failed write keeps its events and
 * their order, is tried again every second, and fails the barriers that wait for it (contracts §2).
 */
export class WriteBehind {
  readonly #deps: WriteBehindDeps
  #pending = new Map<SessionId, Pending>()
  #inFlight: readonly Pending[] = []
  /** When the oldest event of `#pending` came: its window ends 50 ms later, whatever is written meanwhile. */
  #pendingSince = 0
  #barriers: Barrier[] = []
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #trouble: string | null = null
  #isClosed = false

  constructor(deps: WriteBehindDeps) {
    this.#deps = deps
  }

  /** What saving fails with at the moment. New model requests wait until it is over. */
  get trouble(): string | null {
    return this.#trouble
  }

  /** Whether events of this session are not durable yet. */
  isUnsaved(id: SessionId): boolean {
    return this.#pending.has(id) || this.#inFlight.some(({ session }) => session.id === id)
  }

  enqueue(session: Session, event: StoredEvent): void {
    if (this.#pending.size === 0) this.#pendingSince = performance.now()
    const pending = this.#pending.get(session.id)
    if (pending === undefined) this.#pending.set(session.id, { session, events: [event] })
    else pending.events.push(event)
    if (this.#trouble === null) this.#schedule(WINDOW_MS)
  }

  /** @throws WorkbenchError `NOT_SAVED` when the write failed; its events are kept and tried again. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0 && this.#writing === null) return
    if (this.#isClosed) throw new WorkbenchError('NOT_SAVED', 'Espalier is closed; this was not saved.')
    const done = new Promise<void>((resolve, reject) => this.#barriers.push({ resolve, reject }))
    this.#schedule(0)
    return done
  }

  /** Saves what is left, once, and tries nothing after that. @throws as `flush`. */
  async close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      this.#isClosed = true
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = null
    }
  }

  #schedule(delayMs: number): void {
    if (this.#writing !== null || this.#isClosed) return
    if (this.#timer !== null) {
      if (delayMs > 0) return
      clearTimeout(this.#timer)
    }
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#writing = this.#write().finally(() => {
        this.#writing = null
        if (this.#trouble !== null) this.#schedule(RETRY_MS)
        else if (this.#barriers.length > 0) this.#schedule(0)
        else if (this.#pending.size > 0) this.#schedule(this.#restOfWindow())
      })
    }, delayMs)
  }

  #restOfWindow(): number {
    return Math.max(0, this.#pendingSince + WINDOW_MS - performance.now())
  }

  async #write(): Promise<void> {
    const batch = [...this.#pending.values()]
    const barriers = this.#barriers
    this.#pending = new Map()
    this.#inFlight = batch
    this.#barriers = []
    try {
      if (batch.length > 0) await this.#save(batch)
      this.#report(null)
      for (const barrier of barriers) barrier.resolve()
    } catch (error) {
      this.#putBack(batch)
      this.#report(messageOf(error))
      const failure = new WorkbenchError('NOT_SAVED', `Could not save: ${messageOf(error)}`, { cause: error })
      for (const barrier of barriers) barrier.reject(failure)
    } finally {
      this.#inFlight = []
    }
  }

  async #save(batch: readonly Pending[]): Promise<void> {
    const results = await this.#deps.persistence.append(batch.map(toBatch))
    for (const [index, { session, events }] of batch.entries()) {
      if (results[index] === 'written') session.saved((events.at(-1)?.seq ?? -1) + 1)
      else this.#deps.onConflict(session)
    }
  }

  #putBack(batch: readonly Pending[]): void {
    const later = this.#pending
    this.#pending = new Map(batch.map(pending => [pending.session.id, pending]))
    for (const [id, { session, events }] of later) {
      const kept = this.#pending.get(id)
      if (kept === undefined) this.#pending.set(id, { session, events })
      else kept.events = kept.events.concat(events)
    }
  }

  #report(trouble: string | null): void {
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#deps.onTrouble(trouble)
  }
}

function toBatch({ session, events }: Pending): AppendBatch {
  return { sessionId: session.id, expectedSeq: events[0]?.seq ?? 0, events }
}
