import type { Watch } from '#shared/frames.ts'
import { applyFrames } from './apply-frames.ts'
import type { Client } from './client.ts'
import type { State, Store } from './state.ts'

interface SubscriptionDeps {
  readonly store: Store
  readonly client: Client
  /** After each subscription stands: read the lists again. */
  readonly onSubscribed: () => void
  /** After each batch: frames may have asked for something to be read. */
  readonly onBatch: () => void
  readonly log: (message: string, detail: unknown) => void
  /** Resolves when a call can reach the host. Rejects when `signal` aborts. */
  readonly whenOpen?: (signal: AbortSignal) => Promise<void>
  readonly retryMs?: number
}

export interface Subscription {
  /** Ends with the last batch applied. Idempotent. */
  stop(): void
}

/**
 * Keeps one subscription open for as long as the window lives. A batch is applied in one store update, then
 * acknowledged, so that the host never queues more than one batch for us. When the stream ends for whatever
 * reason, a new one is opened under a new id and everything is read again.
 */
export function subscribe(deps: SubscriptionDeps): Subscription {
  const { store, client, onSubscribed, onBatch, log, whenOpen, retryMs = 500 } = deps
  const ending = new AbortController()

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await once().catch(error => {
        if (!ending.signal.aborted) log('the stream ended', error)
      })
      if (ending.signal.aborted) return
      store.setState({ connection: 'lost' })
      await pause(retryMs, ending.signal)
    }
  }

  async function once(): Promise<void> {
    await whenOpen?.(ending.signal)
    const subscription = crypto.randomUUID()
    let watched = watchOf(store.getState())
    const stream = await client.stream.subscribe({ subscription, watch: watched }, { signal: ending.signal })
    // The host tells every banner of now: what another run of it said is over.
    store.setState(state => ({ connection: 'open', epoch: state.epoch + 1, banners: new Map() }))
    onSubscribed()
    const stopWatching = store.subscribe(state => {
      const next = watchOf(state)
      if (sameWatch(watched, next)) return
      watched = next
      client.stream.watch({ subscription, watch: next }).catch(error => log('the watch was not taken', error))
    })
    try {
      for await (const { batch, frames } of stream) {
        store.setState(state => applyFrames(state, frames, (frame, problem) => log(problem, frame)), true)
        onBatch()
        await client.stream.acknowledge({ subscription, batch })
      }
    } finally {
      stopWatching()
    }
  }

  void run()
  return { stop: () => ending.abort() }
}

/** What this window looks at: transcripts held, and the parents whose children it lists. */
export function watchOf(state: State): Watch {
  return { open: [...state.transcripts.keys()].slice(-50), listed: [...state.lists.keys()].slice(-5000) }
}

function sameWatch(one: Watch, other: Watch): boolean {
  return same(one.open, other.open) && same(one.listed, other.listed)
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index])
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
