import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentDescendantEntry, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { StoredSession } from '../../store/persistence.ts'
import { type Candidate, findCandidates, isSubagent } from './candidates.ts'
import {
  type CatalogDeps,
  type CatalogParts,
  cancellable,
  type ListOptions,
  requireParts,
} from './catalog-deps.ts'
import { eachOf, inTurns } from './in-turns.ts'
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
  const places = await findPlaces(deps, parts, root, signal)
  const candidates = places.map(({ candidate }) => candidate)
  const extras = new Set(options.with)
  const rows = await readCandidates(deps, parts, { root, candidates, extras, signal })
  return inTurns(withPlaces(rows, places), signal)
}

/** How many rows `listDescendants` has, from headers alone. Throws as it does. */
export async function countDescendants(
  deps: CatalogDeps,
  root: SessionId,
  signal?: AbortSignal,
): Promise<number> {
  const places = await findPlaces(deps, requireParts(deps, signal), root, signal)
  return places.filter(({ candidate }) => candidate.live?.kind !== 'creating').length
}

async function findPlaces(
  { persistence }: CatalogDeps,
  parts: CatalogParts,
  root: SessionId,
  signal: AbortSignal | undefined,
): Promise<Place[]> {
  const listing = persistence?.list({ kind: 'tree', root }, signal) ?? Promise.resolve(null)
  const stored = await cancellable(listing, signal)
  return inTurns(placesBelow(root, parts, stored?.sessions ?? []), signal)
}

function* placesBelow(
  root: SessionId,
  parts: CatalogParts,
  stored: readonly StoredSession[],
): Generator<void, Place[]> {
  const all = yield* findCandidates(parts, stored, {
    chooseLive: (live, storedById) => below(live, id => id === root || storedById.has(id)),
    holds: ({ parentSession }) => parentSession !== undefined,
  })
  const places = yield* preOrder(root, all)
  return places.filter(({ candidate }) => isSubagent(candidate.header))
}

/** Those among `live` whose parents lead to a session that `isKnown` to be in the tree. */
function below(live: readonly SessionHeader[], isKnown: (id: SessionId) => boolean): SessionHeader[] {
  const byParent = Map.groupBy(live, ({ parentSession }) => parentSession)
  const pending = [...byParent.keys()].filter(id => id !== undefined && isKnown(id))
  const found = new Set<SessionHeader>()
  for (const parent of pending) {
    for (const header of byParent.get(parent) ?? []) {
      if (!found.has(header) && !isKnown(header.id)) pending.push(header.id)
      found.add(header)
    }
  }
  return [...found]
}

/** Iterative: a chain of ten thousand is a tree too. */
function* preOrder(root: SessionId, all: readonly Candidate[]): Generator<void, Place[]> {
  const byParent = new Map<SessionId | undefined, Candidate[]>()
  yield* eachOf(all, candidate => {
    const { parentSession } = candidate.header
    const siblings = byParent.get(parentSession)
    if (siblings === undefined) byParent.set(parentSession, [candidate])
    else siblings.push(candidate)
  })
  const seen = new Set<SessionId>([root])
  const places: Place[] = []
  const stack: Place[] = []
  pushChildren(root, 1)
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { id } = place.candidate.header
    if (!seen.has(id)) {
      seen.add(id)
      places.push(place)
      pushChildren(id, place.depth + 1)
    }
    yield
  }
  return places

  /** Last first, since the stack hands out its end. */
  function pushChildren(parentId: SessionId, depth: number): void {
    for (const candidate of byParent.get(parentId)?.toReversed() ?? []) {
      stack.push({ candidate, parentId, depth })
    }
  }
}

function* withPlaces(
  rows: readonly (SubagentListEntry | null)[],
  places: readonly Place[],
): Generator<void, SubagentDescendantEntry[]> {
  const placed: SubagentDescendantEntry[] = []
  yield* eachOf(places, ({ parentId, depth }, index) => {
    const row = rows[index]
    if (row) placed.push({ ...row, parentId, depth })
  })
  return placed
}
