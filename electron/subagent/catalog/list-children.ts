import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { findCandidates, isSubagent } from './candidates.ts'
import { type CatalogDeps, cancellable, type ListOptions, requireParts } from './catalog-deps.ts'
import { inTurns } from './in-turns.ts'
import { readCandidates } from './read-candidates.ts'

/**
 * The direct subagent children of a session, in the order of their creation (contracts §6). Complete, never a
 * page; an unknown parent has none. Reads nothing outside the candidates and writes nothing.
 *
 * @throws SubagentError `SUBAGENT_CONTROL_PROJECTIONS_UNAVAILABLE`, `SUBAGENT_CONTROL_SESSION_STORE_UNAVAILABLE`,
 * `CANCELLED`. A failing *listing* of the store fails the call with its own error; a failing child costs its row.
 */
export async function listChildren(
  deps: CatalogDeps,
  parentSession: SessionId,
  options: ListOptions = {},
): Promise<SubagentListEntry[]> {
  const { signal } = options
  const parts = requireParts(deps, signal)
  const stored = await cancellable(
    deps.persistence?.list({ kind: 'children', parent: parentSession }, signal) ?? Promise.resolve(null),
    signal,
  )
  const isChild = (header: SessionHeader) => isSubagent(header) && header.parentSession === parentSession
  const scope = { chooseLive: (live: readonly SessionHeader[]) => live.filter(isChild), holds: isChild }
  const candidates = await inTurns(findCandidates(parts, stored?.sessions ?? [], scope), signal)
  const extras = new Set(options.with)
  const rows = await readCandidates(deps, parts, { root: parentSession, candidates, extras, signal })
  return rows.filter(row => row !== null)
}
