import type { NewEvent, StoredEvent } from '#shared/session/events.ts'

/** Collects events with dense seqs. An event without a time of its own gets the latest one given. */
export class EventLog {
  readonly #events: StoredEvent[] = []
  #time: number

  constructor(startTime: number) {
    this.#time = startTime
  }

  get events(): readonly StoredEvent[] {
    return this.#events
  }

  get length(): number {
    return this.#events.length
  }

  add(event: NewEvent, time: number | null): void {
    if (time !== null) this.#time = time
    this.#events.push({ seq: this.#events.length, time: this.#time, ...event })
  }
}
