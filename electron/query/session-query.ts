import type { Origin, Trace, TraceStep } from '#shared/contract/query-shapes.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { History } from '../projection/history.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { SessionPersistence } from '../store/persistence.ts'

export interface SessionQueryDeps {
  readonly live: Pick<LiveSessions, 'get'>
  readonly persistence: Pick<SessionPersistence, 'get' | 'readFrom'>
  readonly history: Pick<History, 'event'>
}

export interface EventRange {
  readonly from: number
  readonly limit: number
}

/** Questions about one session, live or cold (contracts §2). Nothing is started and nothing is written. */
export class SessionQuery {
  readonly #deps: SessionQueryDeps

  constructor(deps: SessionQueryDeps) {
    this.#deps = deps
  }

  /**
   * Its lineage, and where each of its events was first written. It ends below a session that is gone, in the trash or
   * damaged, and where a cycle closes.
   * @throws WorkbenchError `SESSION_NOT_FOUND`.
   */
  async traceSession(id: SessionId, signal?: AbortSignal): Promise<Trace> {
    const upwards: SessionHeader[] = []
    const seen = new Set<SessionId>()
    for (let next: SessionId | undefined = id; next !== undefined && !seen.has(next); ) {
      seen.add(next)
      const header = await this.#header(next, next === id, signal)
      if (header === null) break
      upwards.push(header)
      next = header.parentSession
    }
    return { steps: upwards.map(stepOf).reverse(), origins: originsOf(upwards) }
  }

  /** Events from `from` on, in order; those of a live session as it is now, saved or not. Undecodable ones are left out. */
  async listEvents(
    id: SessionId,
    { from, limit }: EventRange,
    signal?: AbortSignal,
  ): Promise<readonly StoredEvent[]> {
    const session = this.#deps.live.get(id)
    if (session === undefined) return await this.#deps.persistence.readFrom(id, from, limit, signal)
    const { tail } = session
    const tailStart = tail[0]?.seq ?? session.nextSeq
    const inMemory = tail.filter(({ seq }) => seq >= from && seq < from + limit)
    if (from >= tailStart) return inMemory
    const older = await this.#deps.persistence.readFrom(id, from, Math.min(limit, tailStart - from), signal)
    return [...older.filter(({ seq }) => seq < tailStart), ...inMemory]
  }

  /** @throws WorkbenchError `BAD_REQUEST` when there is no such event. */
  async readEvent(id: SessionId, seq: number, signal?: AbortSignal): Promise<StoredEvent> {
    return await this.#deps.history.event(id, seq, signal)
  }

  async #header(id: SessionId, isAsked: boolean, signal?: AbortSignal): Promise<SessionHeader | null> {
    const live = this.#deps.live.get(id)
    if (live !== undefined) return live.header
    try {
      const stored = await this.#deps.persistence.get(id, signal)
      if (stored !== null) return stored.header
      if (isAsked) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
      return null
    } catch (error) {
      if (isAsked || !(error instanceof WorkbenchError)) throw error
      // A damaged record above costs what is above it.
      return null
    }
  }
}

function stepOf(
  { id, origin, seedLength = 0 }: SessionHeader,
  index: number,
  all: readonly SessionHeader[],
): TraceStep {
  const isTop = index === all.length - 1
  return { id, relation: isTop ? 'root' : (origin ?? 'fork'), seedLength }
}

/** Each session wrote what is behind its seed; what is below that came from above. */
function originsOf(upwards: readonly SessionHeader[]): Origin[] {
  const origins: Origin[] = []
  let to: number | null = null
  for (const [index, { id, seedLength = 0 }] of upwards.entries()) {
    const isTop = index === upwards.length - 1
    // The top's own seed came from a session that is not known any more.
    const from: number = isTop ? 0 : Math.min(seedLength, to ?? seedLength)
    if (to === null || from < to) origins.unshift({ sessionId: id, from, to })
    to = from
  }
  return origins
}
