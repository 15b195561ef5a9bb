import { hasCode } from '#shared/errors.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { FoldedInspection } from './persistence.ts'
import type { ThreadClient } from './thread-client.ts'

/** Logs that wait for the first thread before a second one is worth its start. */
const MANY = 3
/** A listing is over by then. */
const IDLE_MS = 2000

type Reader = Pick<ThreadClient, 'call' | 'close'>

interface Place {
  readonly client: Reader
  waiting: number
}

export interface SecondReaderDeps {
  /** The store thread: it reads first, and always. */
  readonly first: Reader
  /** Another thread on the same sessions, for reading only. */
  readonly start: () => Promise<Reader>
  /** One that cannot be started, or dies, is done without. */
  readonly onError: (error: unknown) => void
}

/**
 * Folds cold logs in the store thread and, while many wait, in a second thread beside it, which ends when it has had
 * nothing to do for a while. Whatever was acknowledged before a read is in it, whichever thread makes it.
 */
export class SecondReader {
  readonly #deps: SecondReaderDeps
  readonly #first: Place
  #second: Place | null = null
  #starting: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  /** It is closed, or there is no second thread to be had. */
  #isAlone = false

  constructor(deps: SecondReaderDeps) {
    this.#deps = deps
    this.#first = { client: deps.first, waiting: 0 }
  }

  async inspectFolded(id: SessionId, signal?: AbortSignal): Promise<FoldedInspection> {
    const place = this.#choose()
    try {
      return await this.#readAt(place, id, signal)
    } catch (error) {
      if (place === this.#first || !hasCode(error, 'STORE_UNAVAILABLE')) throw error
      this.#doWithout(error)
      return this.#readAt(this.#first, id, signal)
    }
  }

  /** Resolves when the second thread, if any, has ended. */
  async close(): Promise<void> {
    this.#isAlone = true
    await this.#starting
    await this.#end()
  }

  async #readAt(place: Place, id: SessionId, signal?: AbortSignal): Promise<FoldedInspection> {
    place.waiting += 1
    try {
      return await place.client.call('inspectFolded', [id], signal)
    } finally {
      place.waiting -= 1
      if (place === this.#second && place.waiting === 0) this.#endSoon()
    }
  }

  #choose(): Place {
    const second = this.#second
    if (second !== null) return second.waiting < this.#first.waiting ? second : this.#first
    if (this.#first.waiting >= MANY && !this.#isAlone) {
      this.#starting ??= this.#start().finally(() => {
        this.#starting = null
      })
    }
    return this.#first
  }

  async #start(): Promise<void> {
    try {
      this.#second = { client: await this.#deps.start(), waiting: 0 }
      this.#endSoon()
    } catch (error) {
      this.#doWithout(error)
    }
  }

  #doWithout(error: unknown): void {
    if (!this.#isAlone) this.#deps.onError(error)
    this.#isAlone = true
    this.#end().catch(this.#deps.onError)
  }

  #endSoon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#second?.waiting === 0) this.#end().catch(this.#deps.onError)
    }, IDLE_MS).unref()
  }

  async #end(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    const second = this.#second
    this.#second = null
    await second?.client.close()
  }
}
