import type { Frame, FrameBatch } from '#shared/frames.ts'

const PUSH_EVERY_MS = 16
const STALLED_AFTER_MS = 1000

export interface Pending {
  isEmpty(): boolean
  /** What is pushed next, no longer pending then. Empty when nothing of it was worth a frame. */
  take(): readonly Frame[]
}

/** When one window hears: a batch as soon as something is pending, one at a time, at most one per 16 ms. */
export class PacedBatches {
  readonly #pending: Pending
  readonly #over = new AbortController()
  #acknowledged = 0
  #sent = 0
  #sentAt = Number.NEGATIVE_INFINITY
  #wake: () => void = () => {}

  constructor(pending: Pending) {
    this.#pending = pending
  }

  /** Aborted when the stream is over, for whatever reason. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** A batch has been out for a second without an answer. */
  get isStalled(): boolean {
    return this.#acknowledged !== this.#sent && performance.now() - this.#sentAt > STALLED_AFTER_MS
  }

  /** Only the answer to the batch that is out counts. @returns whether it is that. */
  acknowledge(batch: number): boolean {
    if (batch !== this.#sent || this.#acknowledged === batch) return false
    this.#acknowledged = batch
    this.stir()
    return true
  }

  /** Something is pending, or was answered. */
  stir(): void {
    this.#wake()
  }

  /** Idempotent. */
  end(): void {
    this.#over.abort()
    this.stir()
  }

  /** Ends with `end`. */
  async *batches(): AsyncGenerator<FrameBatch> {
    while (!this.over.aborted) {
      const early = this.#sentAt + PUSH_EVERY_MS - performance.now()
      if (this.#acknowledged !== this.#sent || this.#pending.isEmpty()) await this.#stirred()
      else if (early > 0) await new Promise(resolve => setTimeout(resolve, Math.ceil(early)))
      else {
        const frames = this.#pending.take()
        if (frames.length === 0) continue
        this.#sent += 1
        this.#sentAt = performance.now()
        yield { batch: this.#sent, frames: [...frames] }
      }
    }
  }

  #stirred(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
