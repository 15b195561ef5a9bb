import type { SessionId } from '#shared/session/ids.ts'
import type { ListExtra, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { FACTS_KEY } from '#shared/subagent/facts.ts'
import { mapInSlices } from '../../slices.ts'
import { atMost } from './at-most.ts'
import type { Candidate } from './candidates.ts'
import { type CatalogDeps, type CatalogParts, cancellable, throwIfCancelled } from './catalog-deps.ts'
import { type Reading, readCheckpoint, readLive, readLog } from './identity.ts'
import { sessionsAbove } from './lineage-cycle.ts'
import { missingFolders } from './missing-folders.ts'
import { toRow } from './rows.ts'

/** Bounds a scan of local media; a setting once a networked backend exists. */
const COLD_READS = 4

export interface CandidateQuery {
  /** Whose listing this is. */
  readonly root: SessionId
  readonly candidates: readonly Candidate[]
  readonly extras: ReadonlySet<ListExtra>
  readonly signal: AbortSignal | undefined
}

/**
 * Rows for all candidates, in their order; `null` for one in its creation window. One query for all
 * checkpoints, then at most four log reads at a time for the rest. Nothing is written or remembered.
 */
export async function readCandidates(
  deps: CatalogDeps,
  parts: CatalogParts,
  query: CandidateQuery,
): Promise<(SubagentListEntry | null)[]> {
  const { candidates, extras, signal } = query
  const readings: (Reading | undefined)[] = candidates.map(candidate =>
    candidate.activity === 'running' ? readLive(parts, candidate.header.id) : undefined,
  )
  await readCheckpoints(deps, query, readings)
  const rest = candidates.flatMap(({ header }, index) =>
    readings[index] === undefined ? [{ header, index }] : [],
  )
  await atMost(COLD_READS, rest, async ({ header, index }) => {
    throwIfCancelled(signal)
    readings[index] = await readLog(deps, header, signal)
  })
  const rows = await mapInSlices(candidates, (candidate, index) =>
    toRow(candidate, readings[index] ?? { kind: 'creating' }, extras),
  )
  throwIfCancelled(signal)
  if (!extras.has('warnings')) return rows
  return withPlaceWarnings(deps, parts, query, rows)
}

async function readCheckpoints(
  deps: CatalogDeps,
  { candidates, extras, signal }: CandidateQuery,
  readings: (Reading | undefined)[],
): Promise<void> {
  const cold = candidates.filter((_, index) => readings[index] === undefined)
  const { checkpoints } = deps
  if (checkpoints === undefined || cold.length === 0) return
  const keys = extras.has('facts') ? ['subagent', FACTS_KEY] : ['subagent']
  const ids = cold.map(({ header }) => header.id)
  // A checkpoint that cannot be read is no verdict: its children are read from their logs.
  const found = await checkpoints.read(ids, keys, signal).catch(() => [])
  throwIfCancelled(signal)
  const byId = new Map(found.map(checkpoint => [checkpoint.sessionId, checkpoint]))
  await mapInSlices(candidates, (candidate, index) => {
    readings[index] ??= readCheckpoint(candidate, byId.get(candidate.header.id)) ?? undefined
  })
  throwIfCancelled(signal)
}

/** Adds what no log says: parents that lead back to the row itself, and a folder that is gone. */
async function withPlaceWarnings(
  deps: CatalogDeps,
  parts: CatalogParts,
  { root, candidates, signal }: CandidateQuery,
  rows: readonly (SubagentListEntry | null)[],
): Promise<(SubagentListEntry | null)[]> {
  if (!rows.some(row => row?.kind === 'child')) return [...rows]
  const above = await sessionsAbove(deps, parts, root, signal)
  const missing = await cancellable(missingFolders(deps, candidates), signal)
  return rows.map((row, index) => {
    if (row?.kind !== 'child') return row
    const warnings = [...(row.warnings ?? [])]
    const cwd = candidates[index]?.header.cwd
    if (above.has(row.id)) warnings.push('lineage-cycle')
    if (cwd !== undefined && missing.has(cwd)) warnings.push('folder-missing')
    return warnings.length === 0 ? row : { ...row, warnings }
  })
}
