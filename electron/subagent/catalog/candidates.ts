import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Activity } from '#shared/subagent/catalog-entry.ts'
import type { StoredSession } from '../../store/persistence.ts'

/** A session as a listing sees it: live over stored, the live record whole. */
export interface Candidate {
  readonly header: SessionHeader
  readonly activity: Activity
  /** The stored header, where there is one and a live session too. */
  readonly storedHeader: SessionHeader | null
  readonly hasChildren: boolean
}

/**
 * Merges stored and live records by id (contracts §6.2). Only records that `isCandidate` accepts come back, by
 * `createdAt`, then id by code unit. A live child makes its parent a parent before anything of it is stored.
 */
export function mergeCandidates(
  stored: readonly StoredSession[],
  live: readonly SessionHeader[],
  isCandidate: (header: SessionHeader) => boolean,
): Candidate[] {
  const storedById = new Map(stored.map(session => [session.header.id, session]))
  const liveById = new Map(live.map(header => [header.id, header]))
  const liveParents = new Set(live.filter(isSubagent).flatMap(({ parentSession }) => parentSession ?? []))
  const hasChildren = (id: SessionId) =>
    liveParents.has(id) || (storedById.get(id)?.hasSubagentChildren ?? false)
  const headers = [...live, ...stored.map(({ header }) => header).filter(({ id }) => !liveById.has(id))]
  return headers
    .filter(isCandidate)
    .sort(byCreation)
    .map(header => ({
      header,
      activity: liveById.has(header.id) ? 'running' : 'inactive',
      storedHeader: liveById.has(header.id) ? (storedById.get(header.id)?.header ?? null) : null,
      hasChildren: hasChildren(header.id),
    }))
}

export function isSubagent(header: SessionHeader): boolean {
  return header.origin === 'subagent'
}

function byCreation(a: SessionHeader, b: SessionHeader): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
