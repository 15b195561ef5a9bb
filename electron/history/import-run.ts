import { stat } from 'node:fs/promises'
import type { ImportReport } from '#shared/contract.ts'
import { hasCode, messageOf } from '#shared/errors.ts'
import type { SessionPersistence } from '../store/persistence.ts'
import type { WriteCheckpoints } from './checkpoint-writer.ts'
import type { HistoryReader, ImportedSession } from './reader.ts'
import { READERS } from './readers.ts'

export interface ImportProgress {
  readonly source: string
  /** The file that was just dealt with. */
  readonly path: string
  readonly sessions: number
  readonly children: number
  readonly skipped: number
}

export interface ImportDeps {
  readonly persistence: Pick<SessionPersistence, 'create' | 'get'>
  readonly writeCheckpoints: WriteCheckpoints
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
  /** A checkpoint that could not be written costs speed, not content: it is only said. */
  readonly log?: (message: string) => void
  readonly readers?: readonly HistoryReader[]
}

/** A report while it is being made. */
interface Tally {
  readonly source: string
  sessions: number
  children: number
  unchanged: number
  readonly skipped: { path: string; reason: string }[]
  readonly roots: ImportReport['roots'][number][]
  /** Which file each session of this run came from. */
  readonly takenFrom: Map<string, string>
}

/**
 * Imports what is below each path, one report per path in their order. Sessions that are there already are left
 * as they are, so a second run adds nothing and an interrupted one is completed. A damaged file costs one entry.
 * Rejects with `signal.reason`, and with `STORE_UNAVAILABLE` or `STORE_READ_ONLY` when nothing can be kept.
 */
export async function importPaths(paths: readonly string[], deps: ImportDeps): Promise<ImportReport[]> {
  const reports: ImportReport[] = []
  const takenFrom = new Map<string, string>()
  for (const source of paths) {
    const { takenFrom: _, ...report } = await importPath(source, takenFrom, deps)
    reports.push(report)
  }
  return reports
}

async function importPath(source: string, takenFrom: Map<string, string>, deps: ImportDeps): Promise<Tally> {
  const tally: Tally = { source, sessions: 0, children: 0, unchanged: 0, skipped: [], roots: [], takenFrom }
  deps.signal?.throwIfAborted()
  const obstacle = await obstacleAt(source)
  const reader = obstacle === null ? await readerOf(source, deps.readers ?? READERS) : null
  if (reader === null) {
    tally.skipped.push({ path: source, reason: obstacle ?? 'no history of a known tool' })
    return tally
  }
  for await (const item of reader.read(source, deps.signal)) {
    if (item.kind === 'skipped') tally.skipped.push({ path: item.path, reason: item.reason })
    else await importTree(item.sessions, tally, deps)
    deps.onProgress?.(
      progressOf(tally, item.kind === 'skipped' ? item.path : (item.sessions[0]?.path ?? source)),
    )
  }
  return tally
}

async function importTree(
  sessions: readonly ImportedSession[],
  tally: Tally,
  deps: ImportDeps,
): Promise<void> {
  for (const session of sessions) {
    deps.signal?.throwIfAborted()
    const { header, warnings, path } = session
    const isRoot = header.parentSession === undefined
    const first = tally.takenFrom.get(header.id)
    if (first !== undefined && first !== path) {
      // One of them has to go on under the id; the other is named, not mixed in and not passed over in silence.
      tally.skipped.push({
        path,
        reason: `another file holds a session of the same id and was taken: ${first}`,
      })
      if (isRoot) return
      continue
    }
    tally.takenFrom.set(header.id, path)
    const outcome = await store(session, deps)
    if (outcome.kind === 'refused') {
      tally.skipped.push({ path, reason: outcome.reason })
      // Children without their parent would hang in the air.
      if (isRoot) return
      continue
    }
    if (isRoot && !tally.roots.includes(header.id)) tally.roots.push(header.id)
    if (outcome.kind === 'unchanged') tally.unchanged += 1
    else if (isRoot) tally.sessions += 1
    else tally.children += 1
    for (const reason of warnings) tally.skipped.push({ path, reason })
  }
}

type Stored =
  | { readonly kind: 'created' | 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string }

async function store({ header, events }: ImportedSession, deps: ImportDeps): Promise<Stored> {
  if ((await deps.persistence.get(header.id, deps.signal)) !== null) return { kind: 'unchanged' }
  try {
    await deps.persistence.create(header, events)
  } catch (error) {
    if (hasCode(error, 'STORE_UNAVAILABLE') || hasCode(error, 'STORE_READ_ONLY')) throw error
    // Not to be had and yet there: it lies in the trash.
    if (hasCode(error, 'SESSION_EXISTS')) return { kind: 'refused', reason: 'in the trash: restore it there' }
    return { kind: 'refused', reason: `could not be stored: ${messageOf(error)}` }
  }
  try {
    await deps.writeCheckpoints(header, events)
  } catch (error) {
    deps.log?.(`no checkpoint for ${header.id}: ${messageOf(error)}`)
  }
  return { kind: 'created' }
}

async function readerOf(source: string, readers: readonly HistoryReader[]): Promise<HistoryReader | null> {
  for (const reader of readers) if (await reader.recognises(source)) return reader
  return null
}

/** Why nothing can be read at `source`, or `null`. */
async function obstacleAt(source: string): Promise<string | null> {
  try {
    const stats = await stat(source)
    return stats.isFile() || stats.isDirectory() ? null : 'neither a file nor a folder'
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}

function progressOf({ source, sessions, children, skipped }: Tally, path: string): ImportProgress {
  return { source, path, sessions, children, skipped: skipped.length }
}
