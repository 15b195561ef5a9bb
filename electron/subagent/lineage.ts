import { WorkbenchError } from '#shared/errors.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { SessionPersistence } from '../store/persistence.ts'

export interface LineageDeps {
  readonly live: LiveSessions
  readonly persistence: Pick<SessionPersistence, 'get'>
}

/**
 * Walks headers upwards. Headers never change, so they are kept; only those of delegated sessions and their
 * roots ever get here.
 */
export class Lineage {
  readonly #deps: LineageDeps
  readonly #known = new Map<SessionId, SessionHeader>()

  constructor(deps: LineageDeps) {
    this.#deps = deps
  }

  async header(id: SessionId): Promise<SessionHeader | null> {
    const known = this.#deps.live.get(id)?.header ?? this.#known.get(id)
    if (known !== undefined) return known
    const stored = await this.#deps.persistence.get(id)
    if (stored !== null) this.#known.set(id, stored.header)
    return stored?.header ?? null
  }

  /**
   * From the session itself up to the first that nobody delegated, or whose parent is gone or has a header that
   * cannot be read. A cycle ends where it closes.
   */
  async upwards(id: SessionId): Promise<SessionHeader[]> {
    const chain: SessionHeader[] = []
    const seen = new Set<SessionId>()
    let next: SessionId | undefined = id
    while (next !== undefined && !seen.has(next)) {
      seen.add(next)
      const header: SessionHeader | null = await this.#above(next, chain.length === 0)
      if (header === null) break
      chain.push(header)
      next = header.origin === 'subagent' ? header.parentSession : undefined
    }
    return chain
  }

  async #above(id: SessionId, isFirst: boolean): Promise<SessionHeader | null> {
    try {
      return await this.header(id)
    } catch (error) {
      if (isFirst || !(error instanceof WorkbenchError)) throw error
      // A damaged record above costs itself only.
      return null
    }
  }

  /** The id at the top of a session's tree: its own for a root. */
  async rootOf(id: SessionId): Promise<SessionId> {
    return (await this.upwards(id)).at(-1)?.id ?? id
  }
}
