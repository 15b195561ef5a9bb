import type { ListExtra, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { Candidate } from './candidates.ts'
import { type CatalogDeps, type CatalogParts, cancellable, throwIfCancelled } from './catalog-deps.ts'
import { FACT_KEYS } from './facts.ts'
import { type Reading, readCheckpoint, readLive, readLog } from './identity.ts'
import { toRow } from './rows.ts'

/** Bounds a scan of local media; a setting once a networked backend exists. */
const COLD_READS = 4

/**
 * Rows for all candidates, in their order; `null` for one in its creation window. One query for all
 * checkpoints, then at most four log reads at a time for the rest. Nothing is written or remembered.
 */
export async function readCandidates(
  deps: CatalogDeps,
  parts: CatalogParts,
  candidates: readonly Candidate[],
  extras: ReadonlySet<ListExtra>,
  signal: AbortSignal | undefined,
): Promise<(SubagentListEntry | null)[]> {
  const readings: (Reading | undefined)[] = candidates.map(candidate =>
    candidate.activity === 'running' ? readLive(parts, candidate.header.id) : undefined,
  )
  await readCheckpoints(deps, candidates, readings, extras, signal)
  const rest = candidates.flatMap(({ header }, index) =>
    readings[index] === undefined ? [{ header, index }] : [],
  )
  await atMost(COLD_READS, rest, async ({ header, index }) => {
    throwIfCancelled(signal)
    readings[index] = await readLog(deps, header, signal)
  })
  throwIfCancelled(signal)
  const rows = candidates.map((candidate, index) =>
    toRow(candidate, readings[index] ?? { kind: 'creating' }, extras),
  )
  if (!extras.has('warnings')) return rows
  return cancellable(withMissingFolders(deps, candidates, rows), signal)
}

async function readCheckpoints(
  deps: CatalogDeps,
  candidates: readonly Candidate[],
  readings: (Reading | undefined)[],
  extras: ReadonlySet<ListExtra>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const cold = candidates.filter((_, index) => readings[index] === undefined)
  if (deps.checkpoints === undefined || cold.length === 0) return
  const keys = extras.has('facts') ? ['subagent', 'title', ...FACT_KEYS] : ['subagent']
  const ids = cold.map(({ header }) => header.id)
  // A checkpoint that cannot be read is no verdict: its children are read from their logs.
  const found = await deps.checkpoints.read(ids, keys, signal).catch(() => [])
  throwIfCancelled(signal)
  const byId = new Map(found.map(checkpoint => [checkpoint.sessionId, checkpoint]))
  for (const [index, candidate] of candidates.entries()) {
    readings[index] ??= readCheckpoint(candidate, byId.get(candidate.header.id)) ?? undefined
  }
}

async function withMissingFolders(
  { isFolderMissing }: CatalogDeps,
  candidates: readonly Candidate[],
  rows: readonly (SubagentListEntry | null)[],
): Promise<(SubagentListEntry | null)[]> {
  if (isFolderMissing === undefined) return [...rows]
  const folders = [...new Set(candidates.flatMap(({ header }) => header.cwd ?? []))]
  const missing = new Set<string>()
  await atMost(COLD_READS, folders, async folder => {
    if (await isFolderMissing(folder)) missing.add(folder)
  })
  return rows.map((row, index) => {
    const cwd = candidates[index]?.header.cwd
    if (row?.kind !== 'child' || cwd === undefined || !missing.has(cwd)) return row
    return { ...row, warnings: [...(row.warnings ?? []), 'folder-missing' as const] }
  })
}

/** Runs `work` over `items` with at most `limit` under way; stops at the first throw, after those have ended. */
async function atMost<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failed = false
  const worker = async () => {
    for (const item of queue) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker)
  await Promise.allSettled(workers)
  await Promise.all(workers)
}
