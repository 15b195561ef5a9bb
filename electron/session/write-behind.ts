import { WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { AppendBatch, SessionPersistence } from '../store/persistence.ts'
import { storedOf } from './landed.ts'
import { type SaveTrouble, SLOW, troubleOf, troubleText } from './save-trouble.ts'
import type { Session } from './session.ts'

const WINDOW_MS = 50
const RETRY_MS = 1000
/** A write that takes longer than this is trouble, though it has not failed. */
const PATIENCE_MS = 1500

export interface WriteBehindDeps {
  readonly persistence: Pick<SessionPersistence, 'append' | 'readFrom'>
  /** Told when saving starts to fail, when it fails for another reason, and `null` when it works again. */
  readonly onTrouble: (trouble: SaveTrouble | null) => void
  /** The log of this session moved on under us: it must not be written to any more. */
  readonly onConflict: (session: Session) => void
}

interface Pending {
  readonly session: Session
  events: StoredEvent[]
  /** A write of the first of these events was tried before and failed: it may have reached the disk all the same. */
  readonly tried: boolean
}

interface Barrier {
  readonly resolve: () => void
  readonly reject: (error: WorkbenchError) => void
}

/**
 * Saves what sessions append: one transaction for all of them, at most 50 ms after the first event. `flush`
 * is the barrier: when it resolves, everything appended before is durable. A failed write keeps its events and
 * their order, is tried again every second, and fails the barriers that wait for it; so does one that does not
 * end, except that nothing is tried beside it (contracts §2). Nothing here looks at the clock on the wall.
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
  #trouble: SaveTrouble | null = null
  #isClosed = false

  constructor(deps: WriteBehindDeps) {
    this.#deps = deps
  }

  /** What saving fails with at the moment. New model requests wait until it is over. */
  get trouble(): SaveTrouble | null {
    return this.#trouble
  }

  /** Whether events of this session are not durable yet. */
  isUnsaved(id: SessionId): boolean {
    return this.#pending.has(id) || this.#inFlight.some(({ session }) => session.id === id)
  }

  enqueue(session: Session, event: StoredEvent): void {
    if (this.#pending.size === 0) this.#pendingSince = performance.now()
    const pending = this.#pending.get(session.id)
    if (pending === undefined) this.#pending.set(session.id, { session, events: [event], tried: false })
    else pending.events.push(event)
    if (this.#trouble === null) this.#schedule(WINDOW_MS)
  }

  /** @throws WorkbenchError `NOT_SAVED` when the write failed or does not end; its events are kept and tried again. */
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
    const left = new Set(batch)
    this.#pending = new Map()
    this.#inFlight = batch
    this.#barriers = []
    const stopWaiting = this.#bearWith(barriers)
    try {
      if (batch.length > 0) await this.#save(batch, left)
      this.#putBack([...left])
      this.#report(null)
      if (left.size > 0) this.#barriers.unshift(...barriers)
      else for (const barrier of barriers) barrier.resolve()
    } catch (error) {
      this.#putBack([...left].map(pending => ({ ...pending, tried: true })))
      const trouble = troubleOf(error)
      this.#report(trouble)
      rejectAll(barriers, notSaved(trouble, error))
    } finally {
      stopWaiting()
      this.#inFlight = []
    }
  }

  /**
   * Whoever waits for a write that does not end is told so, and so is whoever comes to wait meanwhile. Their
   * events are on their way all the same. @returns what ends the watch.
   */
  #bearWith(barriers: readonly Barrier[]): () => void {
    const giveUp = (): void => {
      this.#report(this.#trouble ?? SLOW)
      const failure = notSaved(this.#trouble ?? SLOW)
      rejectAll(barriers, failure)
      rejectAll(this.#barriers, failure)
      this.#barriers = []
      timer = setTimeout(giveUp, RETRY_MS)
    }
    let timer = setTimeout(giveUp, PATIENCE_MS)
    return () => clearTimeout(timer)
  }

  /** Takes out of `left` what is settled, and puts in what is to be written next. */
  async #save(batch: readonly Pending[], left: Set<Pending>): Promise<void> {
    const results = await this.#deps.persistence.append(batch.map(toBatch))
    for (const [index, pending] of batch.entries()) {
      const { session, events, tried } = pending
      const isOurs = results[index] === 'conflict' && tried
      // A write that was reported as failed can have reached the disk: then the log holds these very events.
      const landed = isOurs ? await storedOf(this.#deps.persistence, session.id, events) : 0
      left.delete(pending)
      if (results[index] === 'written') markSaved(session, events)
      else if (landed === 0) this.#deps.onConflict(session)
      else {
        markSaved(session, events.slice(0, landed))
        if (landed < events.length) left.add({ session, events: events.slice(landed), tried: false })
      }
    }
  }

  /** Before what came meanwhile. */
  #putBack(batch: readonly Pending[]): void {
    const later = this.#pending
    this.#pending = new Map(batch.map(pending => [pending.session.id, { ...pending }]))
    for (const [id, pending] of later) {
      const kept = this.#pending.get(id)
      if (kept === undefined) this.#pending.set(id, pending)
      else kept.events = kept.events.concat(pending.events)
    }
  }

  #report(trouble: SaveTrouble | null): void {
    if (trouble?.kind === this.#trouble?.kind) return
    this.#trouble = trouble
    this.#deps.onTrouble(trouble)
  }
}

function toBatch({ session, events }: Pending): AppendBatch {
  return { sessionId: session.id, expectedSeq: events[0]?.seq ?? 0, events }
}

function markSaved(session: Session, events: readonly StoredEvent[]): void {
  session.saved((events.at(-1)?.seq ?? -1) + 1)
}

function notSaved(trouble: SaveTrouble, cause?: unknown): WorkbenchError {
  return new WorkbenchError('NOT_SAVED', troubleText(trouble), { cause })
}

function rejectAll(barriers: readonly Barrier[], failure: WorkbenchError): void {
  for (const { reject } of barriers) reject(failure)
}
