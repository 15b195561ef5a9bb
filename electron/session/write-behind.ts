import { WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { AppendBatch, AppendResult, SessionPersistence } from '../store/persistence.ts'
import { storedOf } from './landed.ts'
import { type SaveTrouble, SLOW, troubleOf, troubleText } from './save-trouble.ts'
import type { Session } from './session.ts'
import { Unsaved, type Unwritten } from './unsaved.ts'

const WINDOW_MS = 50
const RETRY_MS = 1000
/** A write that takes longer than this is trouble, though it has not failed. */
const PATIENCE_MS = 1500
/** While one is made durable the next is on its way: nobody who waits for a flush waits for two in a row. */
const MOST_WRITES = 2
/** So many events are written without waiting for the end of their window: those behind them wait for less. */
const MANY_EVENTS = 1000

export interface WriteBehindDeps {
  readonly persistence: Pick<SessionPersistence, 'append' | 'readFrom'>
  /** Told when saving starts to fail, when it fails for another reason, and `null` when it works again. */
  readonly onTrouble: (trouble: SaveTrouble | null) => void
  /** The log of this session moved on under us: it must not be written to any more. */
  readonly onConflict: (session: Session) => void
}

interface Barrier {
  readonly resolve: () => void
  readonly reject: (error: WorkbenchError) => void
}

/** Events on their way to the store, and who waits for them. */
interface Write {
  readonly batch: readonly Unwritten[]
  readonly barriers: readonly Barrier[]
}

/**
 * Saves what sessions append: one transaction for all of them, at most 50 ms after the first event, sooner when there
 * are many. `flush`
 * is the barrier: when it resolves, everything appended before is durable. A flush does not wait for the write
 * under way to end before its own begins; they are settled in order. A failed write keeps its events and their
 * order, is tried again every second, and fails the barriers that wait for it; so does one that does not end,
 * except that nothing is tried beside it (contracts §2). Nothing here looks at the clock on the wall.
 */
export class WriteBehind {
  readonly #deps: WriteBehindDeps
  readonly #unsaved = new Unsaved()
  readonly #writes = new Set<Write>()
  /** When the oldest unsaved event came: its window ends 50 ms later, whatever is written meanwhile. */
  #unsavedSince = 0
  #barriers: Barrier[] = []
  #timer: { readonly stop: () => void; readonly isNow: boolean } | null = null
  #settled: Promise<void> = Promise.resolve()
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
    if (this.#unsaved.has(id)) return true
    return [...this.#writes].some(({ batch }) => batch.some(({ session }) => session.id === id))
  }

  enqueue(session: Session, event: StoredEvent): void {
    if (this.#unsaved.size === 0) this.#unsavedSince = performance.now()
    this.#unsaved.add(session, event)
    if (this.#trouble === null) this.#schedule(this.#isMuch() ? 0 : WINDOW_MS)
  }

  /** @throws WorkbenchError `NOT_SAVED` when the write failed or does not end; its events are kept and tried again. */
  async flush(): Promise<void> {
    if (this.#unsaved.size === 0 && this.#writes.size === 0) return
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
      this.#timer?.stop()
      this.#timer = null
    }
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || !this.#mayWrite()) return
    const isNow = delayMs === 0
    if (this.#timer !== null) {
      if (!isNow || this.#timer.isNow) return
      this.#timer.stop()
    }
    const write = (): void => {
      this.#timer = null
      this.#write()
    }
    this.#timer = { isNow, stop: isNow ? soon(write) : later(write, delayMs) }
  }

  /** A second write is begun for those who wait, and for much; none beside one that is in trouble. */
  #mayWrite(): boolean {
    if (this.#writes.size === 0) return true
    const isUrgent = this.#barriers.length > 0 || this.#isMuch()
    return this.#writes.size < MOST_WRITES && this.#trouble === null && isUrgent
  }

  #isMuch(): boolean {
    return this.#unsaved.count >= MANY_EVENTS
  }

  #write(): void {
    const write: Write = { batch: this.#unsaved.takeAll(), barriers: this.#barriers }
    this.#barriers = []
    this.#writes.add(write)
    const stopWaiting = this.#bearWith(write)
    const { batch } = write
    const asked = batch.length > 0 ? this.#deps.persistence.append(batch.map(toBatch)) : Promise.resolve([])
    const answer = asked.then(
      results => ({ results }),
      (error: unknown) => ({ error }),
    )
    const before = this.#settled
    this.#settled = before
      .then(() => answer)
      .then(result => this.#settle(write, result))
      .finally(() => {
        stopWaiting()
        this.#writes.delete(write)
        this.#goOn()
      })
  }

  #goOn(): void {
    if (this.#trouble !== null) this.#schedule(RETRY_MS)
    else if (this.#barriers.length > 0 || this.#isMuch()) this.#schedule(0)
    else if (this.#unsaved.size > 0) this.#schedule(this.#restOfWindow())
  }

  #restOfWindow(): number {
    return Math.max(0, this.#unsavedSince + WINDOW_MS - performance.now())
  }

  async #settle(write: Write, answer: Answer): Promise<void> {
    const { batch, barriers } = write
    const left = new Set(batch)
    try {
      if ('error' in answer) throw answer.error
      const rest = await this.#take(batch, answer.results, left)
      this.#unsaved.putBack(rest)
      // Those who wait for this one wait for the one before it as well, which may have failed meanwhile.
      const isOverdue = this.#unsaved.isOverdue
      if (!isOverdue) this.#report(null)
      if (isOverdue || rest.length > 0) this.#barriers.unshift(...barriers)
      else for (const barrier of barriers) barrier.resolve()
    } catch (error) {
      this.#unsaved.putBack([...left].map(unwritten => ({ ...unwritten, tried: true })))
      const trouble = troubleOf(error)
      this.#report(trouble)
      rejectAll(barriers, notSaved(trouble, error))
    }
  }

  /**
   * Whoever waits for a write that does not end is told so, and so is whoever comes to wait meanwhile. Their
   * events are on their way all the same. @returns what ends the watch.
   */
  #bearWith({ barriers }: Write): () => void {
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

  /** Takes out of `left` what is settled. @returns what is to be written next. */
  async #take(
    batch: readonly Unwritten[],
    results: readonly AppendResult[],
    left: Set<Unwritten>,
  ): Promise<Unwritten[]> {
    const rest: Unwritten[] = []
    for (const [index, unwritten] of batch.entries()) {
      const { session, events, tried } = unwritten
      if (results[index] === 'written') this.#markWritten(session, events)
      else if (this.#unsaved.isBefore(session.id, events[0])) rest.push(unwritten)
      else
        rest.push(
          ...(await this.#resolveConflict({ ...unwritten, tried: tried && results[index] === 'conflict' })),
        )
      left.delete(unwritten)
    }
    return rest
  }

  /** A log has no holes: what came before has reached it as well, though its write was reported as failed. */
  #markWritten(session: Session, events: readonly StoredEvent[]): void {
    markSaved(session, events)
    this.#unsaved.dropBelow(session.id, session.savedSeq)
  }

  /** A write that was reported as failed can have reached the disk: then the log holds these very events. */
  async #resolveConflict({ session, events, tried }: Unwritten): Promise<Unwritten[]> {
    const landed = tried ? await storedOf(this.#deps.persistence, session.id, events) : 0
    if (landed === 0) {
      this.#deps.onConflict(session)
      return []
    }
    markSaved(session, events.slice(0, landed))
    return landed < events.length ? [{ session, events: events.slice(landed), tried: false }] : []
  }

  #report(trouble: SaveTrouble | null): void {
    if (trouble?.kind === this.#trouble?.kind) return
    this.#trouble = trouble
    this.#deps.onTrouble(trouble)
  }
}

type Answer = { readonly results: readonly AppendResult[] } | { readonly error: unknown }

function soon(work: () => void): () => void {
  const immediate = setImmediate(work)
  return () => clearImmediate(immediate)
}

function later(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

function toBatch({ session, events }: Unwritten): AppendBatch {
  return { sessionId: session.id, expectedSeq: events[0]?.seq ?? 0, events, sealed: true }
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
