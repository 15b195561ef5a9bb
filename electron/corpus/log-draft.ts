import type { NewEvent, StoredEvent } from '#shared/session/events.ts'

/** A log in the making: dense seqs, and a clock that goes on with every event. */
export class LogDraft {
  readonly events: StoredEvent[] = []
  #time: number

  constructor(startMs: number) {
    this.#time = startMs
  }

  get length(): number {
    return this.events.length
  }

  add({ type, data }: NewEvent, afterMs = 20): void {
    this.#time += afterMs
    this.events.push({ seq: this.events.length, time: this.#time, type, data })
  }
}
