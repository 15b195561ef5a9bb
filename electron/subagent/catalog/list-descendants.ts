import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentDescendantEntry } from '#shared/subagent/catalog-entry.ts'
import { type Candidate, isSubagent, mergeCandidates } from './candidates.ts'
import { type CatalogDeps, cancellable, type ListOptions, requireParts } from './catalog-deps.ts'
import { readCandidates } from './read-candidates.ts'

interface Place {
  readonly candidate: Candidate
  readonly parentId: SessionId
  readonly depth: number
}

/**
 * Every subagent below `root` in pre-order, siblings by creation (contracts §6.8). Forks and other sessions in
 * between are walked through and counted in `depth`, but make no row. Safe against cycles in the headers: the
 * root never comes back, and each session is visited once. Throws as `listChildren` does.
 */
export async function listDescendants(
  deps: CatalogDeps,
  root: SessionId,
  options: ListOptions = {},
): Promise<SubagentDescendantEntry[]> {
  const { signal } = options
  const parts = requireParts(deps, signal)
  const stored = await cancellable(
    deps.persistence?.list({ kind: 'tree', root }, signal) ?? Promise.resolve(null),
    signal,
  )
  const live = parts.sessions.list().map(({ header }) => header)
  const all = mergeCandidates(stored?.sessions ?? [], live, header => header.parentSession !== undefined)
  const places = preOrder(root, all).filter(({ candidate }) => isSubagent(candidate.header))
  const candidates = places.map(({ candidate }) => candidate)
  const extras = new Set(options.with)
  const rows = await readCandidates(deps, parts, { root, candidates, extras, signal })
  return places.flatMap(({ parentId, depth }, index) => {
    const row = rows[index]
    return row ? [{ ...row, parentId, depth }] : []
  })
}

/** Iterative: a chain of ten thousand is a tree too. */
function preOrder(root: SessionId, all: readonly Candidate[]): Place[] {
  const byParent = Map.groupBy(all, ({ header }) => header.parentSession)
  const seen = new Set<SessionId>([root])
  const places: Place[] = []
  const stack = childrenOf(root, 1)
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { id } = place.candidate.header
    if (seen.has(id)) continue
    seen.add(id)
    places.push(place)
    stack.push(...childrenOf(id, place.depth + 1))
  }
  return places

  /** Last first, since the stack hands out its end. */
  function childrenOf(parentId: SessionId, depth: number): Place[] {
    return (byParent.get(parentId) ?? []).map(candidate => ({ candidate, parentId, depth })).reverse()
  }
}
