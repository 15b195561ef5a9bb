/** Work of the thread for when nobody waits. */
export interface BackgroundWork {
  /** Does a few milliseconds of it. In how many milliseconds it wants to go on; infinite: when it is told to. */
  step(): number
}

/** The thread is left alone for so long after a request: the next one may be on its way. */
const QUIET_MS = 20
/** However many requests come, the work gets a turn this often. */
const AT_LEAST_EVERY_MS = 250
/** Who has just opened a store wants something of it first, and a person looks at it before they search. */
const START_AFTER_MS = 3000

/** Gives background work its turns, one step at a time and never two without a look at what came meanwhile. */
export class Background {
  readonly #work: BackgroundWork
  readonly #isFree: () => boolean
  #timer: NodeJS.Timeout | NodeJS.Immediate | null = null
  #dueAt: number
  #requestAt = 0
  #steppedAt = 0
  #isClosed = false

  /** `isFree`: looks for requests, right before a step; false when one waits. */
  constructor(work: BackgroundWork, isFree: () => boolean, startAfterMs = START_AFTER_MS) {
    this.#dueAt = performance.now() + startAfterMs
    this.#work = work
    this.#isFree = isFree
  }

  /** A request was answered. */
  answered(): void {
    this.#requestAt = performance.now()
  }

  /** There is something to do in so many milliseconds; `rest` is called before then. */
  within(ms: number): void {
    const dueAt = performance.now() + ms
    if (dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    this.#clear()
  }

  /** Nothing waits: a step may be taken when it is time. */
  rest(): void {
    if (this.#isClosed || this.#timer !== null || this.#dueAt === Number.POSITIVE_INFINITY) return
    const now = performance.now()
    const quietAt = Math.min(this.#requestAt + QUIET_MS, this.#steppedAt + AT_LEAST_EVERY_MS)
    const wait = Math.max(this.#dueAt, quietAt) - now
    const step = () => this.#step()
    this.#timer = wait <= 0 ? setImmediate(step) : setTimeout(step, Math.min(Math.ceil(wait), 2 ** 30))
  }

  close(): void {
    this.#isClosed = true
    this.#clear()
  }

  #clear(): void {
    if (this.#timer === null) return
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearImmediate(this.#timer as NodeJS.Immediate)
    this.#timer = null
  }

  #step(): void {
    this.#timer = null
    if (this.#isClosed) return
    const now = performance.now()
    const isTime =
      now >= this.#dueAt && (now >= this.#requestAt + QUIET_MS || now >= this.#steppedAt + AT_LEAST_EVERY_MS)
    if (isTime && this.#isFree()) {
      const wait = this.#work.step()
      this.#steppedAt = performance.now()
      this.#dueAt = this.#steppedAt + wait
    }
    this.rest()
  }
}
