import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type {
  CheckpointHead,
  CheckpointRows,
  ListedCheckpointRow,
  StoredCheckpointRow,
} from '../checkpoint-reads.ts'
import type { EncodedCheckpoint } from '../wire.ts'
import { endOf, MOST_SIDE_BYTES } from './folder-logs.ts'
import { byCreation } from './listed-folders.ts'
import type { Marks } from './marks.ts'
import type { Entry, SessionFolders } from './session-folders.ts'
import { readSmall, replaceFile } from './side-files.ts'

export const CHECKPOINT_FILE = 'checkpoint.json'
/** Which units the checkpoints were made by. */
const UNITS_FILE = 'units.txt'

const storedSchema = z.object({
  facts: z.string(),
  faults: z.array(z.unknown()),
  rows: z.array(z.tuple([z.string(), z.number(), z.number(), z.string()])),
})
type Stored = z.infer<typeof storedSchema>

/** Fold shortcuts in a file beside each log. Never trusted, so they are replaced without waiting for the disk. */
export function createFolderCheckpoints(folders: SessionFolders, marks: Marks): CheckpointRows {
  const isThere = ({ id }: Entry): boolean => !marks.trashed.has(id)
  /** Of the last question for heads: their rows are asked for next. */
  const recent = new Map<number, Stored>()

  function latest(): Entry[] {
    return [...folders.all()]
      .flatMap(entry => {
        if (!isThere(entry)) return []
        const { end, time } = endOf(entry)
        return end === 0 ? [] : [{ entry, time: time ?? 0 }]
      })
      .toSorted((a, b) => b.time - a.time)
      .map(({ entry }) => entry)
  }

  function seqOf(entry: Entry, key: string): number {
    return readCheckpoint(entry)?.rows.find(row => row[0] === key)?.[2] ?? -1
  }

  function isAsking(entry: Entry): boolean {
    if (!isThere(entry) || entry.log === null || endOf(entry).problem !== null) return false
    const asked = entry.log.state().index.lastAsked ?? -1
    const row = readCheckpoint(entry)?.rows.find(([key]) => key === 'approvals')
    return (row !== undefined && row[3] !== '[]') || asked > (row?.[2] ?? -1)
  }

  return {
    heads(ids) {
      recent.clear()
      return [...new Set(ids)].flatMap((id): CheckpointHead[] => {
        const entry = folders.get(id)
        if (entry === undefined || !isThere(entry) || endOf(entry).problem !== null) return []
        const stored = readCheckpoint(entry)
        if (stored === null) return []
        recent.set(entry.key, stored)
        const state = entry.log?.state()
        const lastSeq = state === undefined || state.index.end === 0 ? null : state.index.end - 1
        const { facts, faults } = stored
        return [[entry.key, id, facts, JSON.stringify(faults), lastSeq, state?.index.lastDescriptor ?? null]]
      })
    },
    *listed(keys, names) {
      const wanted = new Set(names)
      for (const key of keys) {
        for (const row of recent.get(key)?.rows ?? []) {
          const listed: ListedCheckpointRow = [key, ...row]
          if (wanted.has(row[0])) yield listed
        }
      }
    },
    facts: key => readCheckpoint(folders.at(key))?.facts,
    rows: (key): StoredCheckpointRow[] => readCheckpoint(folders.at(key))?.rows ?? [],
    askingIds: () =>
      [...folders.all()]
        .filter(isAsking)
        .toSorted(byCreation)
        .map(({ id }) => id),
    latest: () => latest().map(({ id }) => id),
    behind: () =>
      latest()
        .filter(entry => seqOf(entry, 'outcome') < endOf(entry).end - 1)
        .map(({ id }) => id),
    foldedBy: () => readSmall(join(folders.root, UNITS_FILE), MOST_SIDE_BYTES)?.toString('utf8'),
    setFoldedBy: fingerprint => replaceFile(join(folders.root, UNITS_FILE), fingerprint, false),
    drop: key => {
      recent.delete(key)
      rmSync(join(folders.at(key).folder, CHECKPOINT_FILE), { force: true })
    },
    write: checkpoints => {
      for (const checkpoint of checkpoints) {
        const entry = folders.get(checkpoint.sessionId)
        if (entry?.log === undefined || entry.log === null) continue
        replaceFile(join(entry.folder, CHECKPOINT_FILE), checkpointJson(checkpoint), false)
      }
    },
  }
}

export function checkpointJson({ facts, faults, rows }: Omit<EncodedCheckpoint, 'sessionId'>): string {
  return `${JSON.stringify({ facts, faults, rows })}\n`
}

/** `null` for none, and for one that cannot be understood: it is as good as absent. */
export function readCheckpoint({ folder }: Pick<Entry, 'folder'>): Stored | null {
  try {
    const bytes = readSmall(join(folder, CHECKPOINT_FILE), MOST_SIDE_BYTES)
    return bytes === null ? null : storedSchema.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    // See above.
    return null
  }
}
