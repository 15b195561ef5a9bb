import { WorkbenchError } from '#shared/errors.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { deepFreeze, JsonLoss, seal } from '#shared/session/json.ts'

/** The events that a live session keeps in memory; older ones are read from the store. */
export const TAIL = 500
/** Of the ones before it that many at least are let go at a time: a shift per event would copy the tail each time. */
const STRIDE = 64

export interface SessionDeps {
  readonly now: () => number
  /** How many events it keeps in memory when there are many live sessions; absent: 500. */
  readonly tail?: () => number
  /** Called for each event in order, also for those that a listener appended. Never throws. */
  readonly onAppend: (session: Session, event: StoredEvent) => void
}

/**
 * A session that this process hosts: the only writer of its log. `append` is synchronous and ordered; saving
 * happens behind it (see `WriteBehind`).
 */
export class Session {
  readonly header: SessionHeader
  readonly #deps: SessionDeps
  #tail: StoredEvent[]
  #nextSeq: number
  #savedSeq: number
  readonly #announcing: StoredEvent[] = []
  #isAnnouncing = false
  #closed = false

  /** @param events the end of the log so far, all of it saved. */
  constructor(header: SessionHeader, events: readonly StoredEvent[], deps: SessionDeps) {
    this.header = deepFreeze(header)
    this.#deps = deps
    this.#nextSeq = (events.at(-1)?.seq ?? -1) + 1
    this.#savedSeq = this.#nextSeq
    this.#tail = events.slice(-TAIL).map(deepFreeze)
  }

  get id(): SessionId {
    return this.header.id
  }

  get nextSeq(): number {
    return this.#nextSeq
  }

  /** The latest events in memory, oldest first: all unsaved ones, and as many saved ones as it may keep. */
  get tail(): readonly StoredEvent[] {
    return this.#tail
  }

  /** Everything below this seq is durable. */
  get savedSeq(): number {
    return this.#savedSeq
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /**
   * Adds a fact to the log. Listeners are told before it returns, unless one of them is the caller: then right
   * after they have heard of the earlier event.
   * @throws Error when the session was disposed: a writer that outlived its session is a fault of ours.
   * @throws WorkbenchError `BAD_REQUEST` for data that is not lossless JSON: nothing was added.
   */
  append(event: NewEvent): StoredEvent {
    if (this.#closed) throw new Error(`session ${this.id} is disposed`)
    const stored: StoredEvent = Object.freeze({
      seq: this.#nextSeq,
      time: this.#deps.now(),
      type: event.type,
      data: loggable(event),
    })
    this.#nextSeq += 1
    this.#tail.push(stored)
    this.#announcing.push(stored)
    if (!this.#isAnnouncing) this.#announce()
    return stored
  }

  /** Everything below `seq` is durable: memory may let go of it. */
  saved(seq: number): void {
    this.#savedSeq = Math.max(this.#savedSeq, seq)
    const first = this.#tail[0]?.seq ?? this.#nextSeq
    const keepFrom = Math.min(this.#savedSeq, this.#nextSeq - (this.#deps.tail?.() ?? TAIL))
    if (keepFrom - first >= STRIDE) this.#tail = this.#tail.slice(keepFrom - first)
  }

  close(): void {
    this.#closed = true
  }

  #announce(): void {
    this.#isAnnouncing = true
    for (let next = this.#announcing.shift(); next !== undefined; next = this.#announcing.shift()) {
      this.#deps.onAppend(this, next)
    }
    this.#isAnnouncing = false
  }
}

/**
 * The data of an event as a log can keep it, frozen through. What cannot be kept is refused here, to the one that
 * says it: found at the write, it would hold up the saving of every session.
 * @throws WorkbenchError `BAD_REQUEST` when it is not lossless JSON.
 */
export function loggable({ type, data }: NewEvent): unknown {
  try {
    return seal(data)
  } catch (error) {
    if (!(error instanceof JsonLoss)) throw error
    const problem = `The data of a ${type} event is not lossless JSON: ${error.message}.`
    throw new WorkbenchError('BAD_REQUEST', problem, { cause: error })
  }
}
