import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { StoredSession } from '../../store/persistence.ts'
import type { CatalogParts } from './catalog-deps.ts'
import { readLive } from './identity.ts'
import { eachOf } from './in-turns.ts'
import type { Reading } from './reading.ts'

/** A session as a listing sees it: live over stored, the live record whole. */
export interface Candidate {
  readonly header: SessionHeader
  /** What the registry says of a live one; `null` for one that is only stored. */
  readonly live: Reading | null
  /** The stored header, where there is one and a live session too. */
  readonly storedHeader: SessionHeader | null
  readonly hasChildren: boolean
}

/** Which sessions a listing is about. */
export interface Scope {
  /** Of all that are live. */
  chooseLive(live: readonly SessionHeader[], stored: ReadonlyMap<SessionId, unknown>): SessionHeader[]
  holds(stored: SessionHeader): boolean
}

/**
 * Merges stored and live records by id (contracts §6.2), by `createdAt`, then id by code unit. A live child makes its
 * parent a parent before anything of it is stored. Steps, so that long listings give the main loop its turns.
 */
export function* findCandidates(
  parts: CatalogParts,
  stored: readonly StoredSession[],
  scope: Scope,
): Generator<void, Candidate[]> {
  const storedById = new Map<SessionId, StoredSession>()
  yield* eachOf(stored, session => {
    storedById.set(session.header.id, session)
  })
  // Looked at one by one beforehand: what the cut asks for is known by then, but for what changes meanwhile.
  yield* eachOf(scope.chooseLive(headersOf(parts), storedById), header => {
    readLive(parts, header)
  })
  // No step ends in here: the live sessions and what the registry says of them are one cut.
  const live = headersOf(parts)
  const chosen = scope.chooseLive(live, storedById)
  const readings = chosen.map(header => readLive(parts, header))

  const liveIds = new Set(live.map(({ id }) => id))
  const liveParents = new Set(live.filter(isSubagent).map(({ parentSession }) => parentSession))
  const candidates: Candidate[] = []
  yield* eachOf(chosen, (header, index) => {
    const beneath = storedById.get(header.id)
    candidates.push({
      header,
      live: readings[index] ?? null,
      storedHeader: beneath?.header ?? null,
      hasChildren: liveParents.has(header.id) || (beneath?.hasSubagentChildren ?? false),
    })
  })
  yield* eachOf(stored, ({ header, hasSubagentChildren }) => {
    if (liveIds.has(header.id) || !scope.holds(header)) return
    const hasChildren = hasSubagentChildren || liveParents.has(header.id)
    candidates.push({ header, live: null, storedHeader: null, hasChildren })
  })
  return candidates.sort(byCreation)
}

function headersOf({ sessions }: CatalogParts): SessionHeader[] {
  return sessions.list().map(({ header }) => header)
}

export function isSubagent(header: SessionHeader): boolean {
  return header.origin === 'subagent'
}

function byCreation({ header: a }: Candidate, { header: b }: Candidate): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
