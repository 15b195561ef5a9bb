import { statfs } from 'node:fs/promises'
import type { StorageState, StorageUsage } from '#shared/contract/storage-shapes.ts'
import { messageOf, WorkbenchError } from '#shared/errors.ts'
import type { UsageReader } from '../store/stored-usage.ts'
import { type FolderSizes, folderSizes } from './folder-sizes.ts'

export interface StorageDeps {
  readonly dataFolder: string
  readonly usage: UsageReader
  readonly readOnly: boolean
  /** Something is at work now, anywhere. */
  readonly running: () => boolean
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** How old a measuring may be before whoever looks has it made again. */
const FRESH_MS = 10_000

/** What uses space in the data folder, and giving unused space back. Measures in the background, once for all who ask. */
export class Storage {
  readonly #deps: StorageDeps
  #usage: StorageUsage | null = null
  #measuring: { measured: number; sessions: number } | null = null
  #problem: string | null = null
  #compacting: Promise<{ before: number; after: number }> | null = null

  constructor(deps: StorageDeps) {
    this.#deps = deps
  }

  /** Begins to measure when nothing fresh is known, or when asked to `again`. */
  state(again = false): StorageState {
    const isStale = this.#usage === null || this.#deps.now() - this.#usage.measuredAt > FRESH_MS
    if (this.#measuring === null && (again || isStale)) {
      this.#measure().catch(this.#deps.onError)
    }
    return { usage: this.#usage, measuring: this.#measuring, problem: this.#problem }
  }

  /**
   * Gives unused space of the database back to the disk; nothing is read or written meanwhile.
   * @returns bytes of the data folder before and after.
   * @throws WorkbenchError `WORK_RUNNING`, `STORE_READ_ONLY`, `STORE_UNAVAILABLE`: then nothing was changed.
   */
  compact(): Promise<{ before: number; after: number }> {
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = null
    })
    return this.#compacting
  }

  async #compact(): Promise<{ before: number; after: number }> {
    const { usage, readOnly, running, dataFolder } = this.#deps
    if (readOnly) throw new WorkbenchError('STORE_READ_ONLY', 'The sessions can only be read.')
    if (running()) {
      throw new WorkbenchError('WORK_RUNNING', 'Compacting makes everything wait: stop what runs first.')
    }
    const before = await folderSizes(dataFolder)
    if ((await diskFree(dataFolder)) < 2 * before.store) {
      throw new WorkbenchError('STORE_UNAVAILABLE', 'There is not enough free space on the disk to compact.')
    }
    await usage.compact()
    await this.#measure()
    return { before: before.store, after: (await folderSizes(dataFolder)).store }
  }

  async #measure(): Promise<void> {
    const { dataFolder, usage, now } = this.#deps
    if (this.#measuring !== null) return
    this.#measuring = { measured: 0, sessions: 0 }
    try {
      const stored = await usage.measure(progress => {
        this.#measuring = progress
      })
      const files = await folderSizes(dataFolder)
      this.#usage = {
        measuredAt: now(),
        ...sums(stored, files),
        sessions: stored.all.sessions,
        trees: [...stored.trees],
        treeCount: stored.all.trees,
        trash: [...stored.trash],
        diskFree: await diskFree(dataFolder),
      }
      this.#problem = null
    } catch (error) {
      this.#problem = messageOf(error)
    } finally {
      this.#measuring = null
    }
  }
}

type Stored = Awaited<ReturnType<UsageReader['measure']>>

/** A store of folders has no files of its own here: its sessions are all there is of it. */
function sums(stored: Stored, files: FolderSizes): Pick<StorageUsage, 'total' | 'parts'> {
  const { store, ...rest } = files
  const sessions = stored.all.bytes
  const trash = stored.trash.reduce((sum, { bytes }) => sum + bytes, 0)
  const free = stored.free
  const index = Math.max(0, store - sessions - trash - free)
  const parts = { sessions, trash, index, free, ...rest }
  return { total: Object.values(parts).reduce((sum, bytes) => sum + bytes, 0), parts }
}

async function diskFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
