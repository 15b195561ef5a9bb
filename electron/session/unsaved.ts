import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Session } from './session.ts'

/** A run of events of one session that is to be written, in order. */
export interface Unwritten {
  readonly session: Session
  readonly events: readonly StoredEvent[]
  /** A write of the first of these events was tried before and failed: it may have reached the disk all the same. */
  readonly tried: boolean
}

interface Gathering {
  readonly session: Session
  events: StoredEvent[]
  tried: boolean
}

/** What sessions said and no write holds at the moment, in order per session. */
export class Unsaved {
  #gathered = new Map<SessionId, Gathering>()
  #count = 0

  /** Sessions. */
  get size(): number {
    return this.#gathered.size
  }

  /** Events. */
  get count(): number {
    return this.#count
  }

  /** Something here was tried before. */
  get isOverdue(): boolean {
    return [...this.#gathered.values()].some(({ tried }) => tried)
  }

  has(id: SessionId): boolean {
    return this.#gathered.has(id)
  }

  add(session: Session, event: StoredEvent): void {
    const gathering = this.#gathered.get(session.id)
    this.#count += 1
    if (gathering === undefined) this.#gathered.set(session.id, { session, events: [event], tried: false })
    else gathering.events.push(event)
  }

  /** Everything, to be written now. */
  takeAll(): readonly Unwritten[] {
    const taken = [...this.#gathered.values()]
    this.#gathered = new Map()
    this.#count = 0
    return taken
  }

  /** What could not be written: before what came later, and behind what was put back before it. */
  putBack(unwritten: readonly Unwritten[]): void {
    const later = this.#gathered
    this.#gathered = new Map()
    for (const { session, events, tried } of unwritten) {
      this.#gathered.set(session.id, { session, events: [...events], tried })
      this.#count += events.length
    }
    for (const [id, gathering] of later) {
      const putBack = this.#gathered.get(id)
      if (putBack === undefined) this.#gathered.set(id, gathering)
      else this.#gathered.set(id, joined(putBack, gathering))
    }
  }

  /** What is durable needs no second write. */
  dropBelow(id: SessionId, seq: number): void {
    const gathering = this.#gathered.get(id)
    const first = gathering?.events[0]
    if (gathering === undefined || first === undefined || first.seq >= seq) return
    const { session, events } = gathering
    const rest = events.filter(event => event.seq >= seq)
    this.#count -= events.length - rest.length
    if (rest.length === 0) this.#gathered.delete(id)
    else this.#gathered.set(id, { session, events: rest, tried: false })
  }

  /** The first event of this session that waits here comes before `event`. */
  isBefore(id: SessionId, event: StoredEvent | undefined): boolean {
    const first = this.#gathered.get(id)?.events[0]
    return first !== undefined && event !== undefined && first.seq < event.seq
  }
}

/** By seq: what was written second may have been put back before what was written first. */
function joined(one: Gathering, other: Gathering): Gathering {
  const events = one.events.concat(other.events).sort((a, b) => a.seq - b.seq)
  const { session, tried } = events[0] === one.events[0] ? one : other
  return { session, events, tried }
}
