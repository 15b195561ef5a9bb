import { createCheckpointStore } from './checkpoint-client.ts'
import { makeDataFolder } from './data-folder.ts'
import type { Opening } from './opening.ts'
import { createOutputStore } from './output-client.ts'
import type { OutputStore } from './output-store.ts'
import type { CheckpointStore, SessionPersistence } from './persistence.ts'
import { createPersistence } from './persistence-client.ts'
import { createUsageReader, type UsageReader } from './stored-usage.ts'
import { ThreadClient } from './thread-client.ts'
import { WriteOrder } from './write-order.ts'

export interface StoreOptions {
  readonly dataFolder: string
  /** Where the thread's entry is once it is bundled. */
  readonly threadUrl?: URL
  /** File URL of a module that exports `UNITS`, for cold folds; absent: Espalier's own. */
  readonly unitsModule?: string
  readonly readOnly?: boolean
}

export interface Store {
  readonly persistence: SessionPersistence
  readonly checkpoints: CheckpointStore
  readonly outputs: OutputStore
  readonly usage: UsageReader
  /** A newer Espalier wrote this data folder, or reading was asked for: every write is refused. */
  readonly readOnly: boolean
  /** What was met when the sessions were opened. */
  readonly opening: Opening
  /** Resolves when everything asked for is done and the database is closed. Idempotent. */
  close(): Promise<void>
}

/**
 * Opens the SQLite store in its own thread.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when the database cannot be opened.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataFolder, threadUrl = defaultThreadUrl(), unitsModule, readOnly } = options
  if (readOnly !== true) makeDataFolder(dataFolder)
  const started = await ThreadClient.start(threadUrl, {
    dataFolder,
    ...(unitsModule !== undefined && { unitsModule }),
    ...(readOnly !== undefined && { readOnly }),
  })
  const { client } = started
  const writes = new WriteOrder()
  return {
    persistence: createPersistence(client, writes),
    checkpoints: createCheckpointStore(client, writes),
    outputs: createOutputStore(client),
    usage: createUsageReader(client),
    readOnly: started.readOnly,
    opening: started.opening,
    close: async () => {
      await writes.settled()
      await client.close()
    },
  }
}

/**
 * Beside this file, unbundled as well as bundled. Not a literal: bundlers rewrite those. From a packaged Espalier's
 * archive it is the copy unpacked beside it, since a thread inside `app.asar` finds no packages.
 */
function defaultThreadUrl(): URL {
  const name = import.meta.url.endsWith('.ts') ? 'thread.ts' : 'thread.js'
  const url = new URL(`./${name}`, import.meta.url)
  return new URL(url.href.replace('/app.asar/', '/app.asar.unpacked/'))
}
