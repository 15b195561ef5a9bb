import { messageOf } from '#shared/errors.ts'
import { createCheckpointStore } from './checkpoint-client.ts'
import { openOrView, type ViewReason } from './open-or-view.ts'
import type { Opening } from './opening.ts'
import { createOutputStore } from './output-client.ts'
import type { OutputStore } from './output-store.ts'
import type { CheckpointStore, SessionPersistence } from './persistence.ts'
import { createPersistence } from './persistence-client.ts'
import { createSearchStore, type SearchStore } from './search-client.ts'
import { SecondReader } from './second-reader.ts'
import type { UsageReader } from './stored-usage.ts'
import { ThreadClient } from './thread-client.ts'
import { createUsageReader } from './usage-client.ts'
import { WriteOrder } from './write-order.ts'

export interface StoreOptions {
  readonly dataFolder: string
  /** Where the thread's entry is once it is bundled. */
  readonly threadUrl?: URL
  /** File URL of a module that exports `UNITS`, for cold folds; absent: Espalier's own. */
  readonly unitsModule?: string
  /** To look at what is there, beside a workbench that has it open: only from there, and never with a word of why. */
  readonly readOnly?: boolean
  /** Nothing may be written there: sessions are only shown, as `viewing` says. */
  readonly viewOnly?: boolean
  /** Is told what the store wants to be in the log, a sentence at a time. */
  readonly onNote?: (sentence: string) => void
}

export interface Store {
  readonly persistence: SessionPersistence
  readonly checkpoints: CheckpointStore
  readonly outputs: OutputStore
  readonly usage: UsageReader
  readonly search: SearchStore
  /** A newer Espalier wrote this data folder, or reading was asked for: every write is refused. */
  readonly readOnly: boolean
  /** Why it can only be read although writing was asked for; `null` also where it is of a newer version. */
  readonly viewing: ViewReason | null
  /** What was met when the sessions were opened. */
  readonly opening: Opening
  /** Told whenever something could not be done because what is stored is damaged. */
  onDamage(listener: () => void): void
  /** Resolves when everything asked for is done and the database is closed. Idempotent. */
  close(): Promise<void>
}

/**
 * Opens the sessions of a data folder, however it keeps them, in a thread of their own.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when they cannot be opened.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const {
    dataFolder,
    threadUrl = defaultThreadUrl(),
    unitsModule,
    readOnly = false,
    viewOnly = false,
    onNote,
  } = options
  let folderInUse = dataFolder
  const start = (folder: string, onlyToRead: boolean) => {
    folderInUse = folder
    const data = {
      dataFolder: folder,
      readOnly: onlyToRead,
      ...(unitsModule !== undefined && { unitsModule }),
    }
    return ThreadClient.start(threadUrl, data, onNote)
  }
  const { started, viewing, leave } = readOnly
    ? { started: await start(dataFolder, true), viewing: null, leave: () => {} }
    : await openOrView(dataFolder, viewOnly, start)
  const { client } = started
  const writes = new WriteOrder()
  const reader = new SecondReader({
    first: client,
    start: async () => {
      const second = (await start(folderInUse, true)).client
      second.onDamage = () => client.onDamage()
      return second
    },
    onError: error => onNote?.(`A second thread for reading was done without: ${messageOf(error)}`),
  })
  return {
    persistence: createPersistence(client, writes, (id, signal) => reader.inspectFolded(id, signal)),
    checkpoints: createCheckpointStore(client, writes),
    outputs: createOutputStore(client),
    usage: createUsageReader(client),
    search: createSearchStore(client),
    readOnly: started.readOnly,
    opening: started.opening,
    onDamage: listener => {
      client.onDamage = listener
    },
    viewing,
    close: async () => {
      await writes.settled()
      await reader.close()
      await client.close()
      leave()
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
