import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { ListExtra, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { FACTS_KEY } from '#shared/subagent/facts.ts'
import type { CheckpointedValues } from '../../store/persistence.ts'
import { atMost } from './at-most.ts'
import type { Candidate } from './candidates.ts'
import { type CatalogDeps, type CatalogParts, cancellable, throwIfCancelled } from './catalog-deps.ts'
import { readCheckpoint, readLog } from './identity.ts'
import { eachOf, inTurns } from './in-turns.ts'
import { sessionsAbove } from './lineage-cycle.ts'
import { missingFolders } from './missing-folders.ts'
import type { Reading } from './reading.ts'
import { toRow } from './rows.ts'
import { COLD_READS } from './share-reads.ts'

export interface CandidateQuery {
  /** Whose listing this is. */
  readonly root: SessionId
  readonly candidates: readonly Candidate[]
  readonly extras: ReadonlySet<ListExtra>
  readonly signal: AbortSignal | undefined
}

interface ColdChild {
  readonly header: SessionHeader
  /** Its place among the candidates. */
  readonly index: number
}

/**
 * Rows for all candidates, in their order; `null` for one in its creation window. One question for all
 * checkpoints, then at most four log reads at a time for the rest. Nothing is written or remembered.
 */
export async function readCandidates(
  deps: CatalogDeps,
  parts: CatalogParts,
  query: CandidateQuery,
): Promise<(SubagentListEntry | null)[]> {
  const { candidates, extras, signal } = query
  const readings = candidates.map(({ live }) => live)
  const checkpoints = await findCheckpoints(deps, query)
  const unread = await inTurns(takeCheckpoints(candidates, checkpoints, readings), signal)
  await atMost(COLD_READS, unread, async ({ header, index }) => {
    throwIfCancelled(signal)
    readings[index] = await readLog(deps, header, signal)
  })
  const rows = await inTurns(toRows(candidates, readings, extras), signal)
  return extras.has('warnings') ? withPlaceWarnings(deps, parts, query, rows) : rows
}

async function findCheckpoints(
  { checkpoints }: CatalogDeps,
  { candidates, extras, signal }: CandidateQuery,
): Promise<readonly CheckpointedValues[]> {
  const ids = candidates.filter(({ live }) => live === null).map(({ header }) => header.id)
  if (checkpoints === undefined || ids.length === 0) return []
  const keys = extras.has('facts') ? ['subagent', FACTS_KEY] : ['subagent']
  throwIfCancelled(signal)
  // A checkpoint that cannot be read is no verdict: its children are read from their logs.
  const found = await checkpoints.read(ids, keys, signal).catch(() => [])
  throwIfCancelled(signal)
  return found
}

/** Fills in what the checkpoints tell. Returns those of which nothing is known yet. */
function* takeCheckpoints(
  candidates: readonly Candidate[],
  checkpoints: readonly CheckpointedValues[],
  readings: (Reading | null)[],
): Generator<void, ColdChild[]> {
  const byId = new Map<SessionId, CheckpointedValues>()
  yield* eachOf(checkpoints, checkpoint => {
    byId.set(checkpoint.sessionId, checkpoint)
  })
  const unread: ColdChild[] = []
  yield* eachOf(candidates, ({ header }, index) => {
    readings[index] ??= readCheckpoint(header, byId.get(header.id))
    if (readings[index] === null) unread.push({ header, index })
  })
  return unread
}

function* toRows(
  candidates: readonly Candidate[],
  readings: readonly (Reading | null)[],
  extras: ReadonlySet<ListExtra>,
): Generator<void, (SubagentListEntry | null)[]> {
  const rows: (SubagentListEntry | null)[] = []
  yield* eachOf(candidates, (candidate, index) => {
    rows.push(toRow(candidate, readings[index] ?? { kind: 'creating' }, extras))
  })
  return rows
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
  throwIfCancelled(signal)
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
