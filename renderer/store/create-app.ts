import { createReport } from './actions.ts'
import type { App, Shell } from './app.ts'
import type { Client } from './client.ts'
import { createChildLoader } from './load-children.ts'
import { createSessionLoader } from './load-sessions.ts'
import { createTranscriptLoader } from './load-transcripts.ts'
import { keepPreferences, readPreferences } from './preferences.ts'
import { createWorkbenchStore } from './state.ts'
import { subscribe } from './subscription.ts'

interface AppDeps extends Shell {
  readonly client: Client
  /** Where window preferences are kept; none of them is needed. */
  readonly storage: Storage | null
  readonly log: (message: string, detail: unknown) => void
  readonly whenOpen?: (signal: AbortSignal) => Promise<void>
}

const SETTLE_MS = 60

/** Builds the window's half of the workbench. `start` subscribes; the function it returns ends it. */
export function createApp(deps: AppDeps): { readonly app: App; readonly start: () => () => void } {
  const { client, storage, log, chooseFolder, windowControls, whenOpen } = deps
  const store = createWorkbenchStore(readPreferences(storage))
  const children = createChildLoader({ store, client })
  const sessions = createSessionLoader({ store, client })
  const transcripts = createTranscriptLoader({ store, client })
  const app: App = {
    store,
    client,
    children,
    sessions,
    transcripts,
    chooseFolder,
    windowControls,
    report: createReport(store, log),
  }
  const settled = soon(SETTLE_MS, () => {
    sessions.refreshApprovals().catch(error => log('the open approvals could not be read', error))
    sessions.refreshHost().catch(error => log('the state of the host could not be read', error))
  })

  const rootsSettled = soon(SETTLE_MS, () => void sessions.refreshRoots())

  function start(): () => void {
    let { approvalsVersion, rootsVersion } = store.getState()
    const subscription = subscribe({
      store,
      client,
      log,
      ...(whenOpen && { whenOpen }),
      onSubscribed: () => {
        sessions.refresh().catch(error => log('the lists could not be read', error))
        children.refreshAll()
        transcripts.reloadAll()
        const { open, expanded, lists } = store.getState()
        // What a reloaded window was left with is known by name only until it is read.
        children.loadAll([...expanded].filter(parent => !lists.has(parent)))
        if (open === null) return
        void transcripts.open(open)
        void sessions.loadDetail(open)
      },
      onBatch: () => {
        children.refreshStale()
        transcripts.catchUp()
        const next = store.getState()
        if (next.rootsVersion !== rootsVersion) rootsSettled()
        if (next.approvalsVersion !== approvalsVersion) settled()
        approvalsVersion = next.approvalsVersion
        rootsVersion = next.rootsVersion
      },
    })
    const stopKeeping = keepPreferences(store, storage)
    return () => {
      subscription.stop()
      stopKeeping()
    }
  }

  return { app, start }
}

/** Runs `work` once, `ms` after the first of several calls. */
function soon(ms: number, work: () => void): () => void {
  let isPending = false
  return () => {
    if (isPending) return
    isPending = true
    setTimeout(() => {
      isPending = false
      work()
    }, ms)
  }
}
