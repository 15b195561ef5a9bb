import type { Watch } from '#shared/frames.ts'
import { applyFrames } from './apply-frames.ts'
import type { Client } from './client.ts'
import { createPaintPace } from './paint-pace.ts'
import type { State, Store } from './state.ts'
import { resubscribed } from './transcripts.ts'

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
  /** Resolves when the last update was painted: until then batches wait, and with them the host. */
  readonly whenPainted?: () => Promise<void>
}

export interface Subscription {
  /** Ends with the last batch applied. Idempotent. */
  stop(): void
}

/**
 * Keeps one subscription open for as long as the window lives. A batch is applied in one store update, at most one
 * per painted frame, then acknowledged, so that the host never queues more than one batch for us. When the stream
 * ends for whatever reason, a new one is opened under a new id and everything is read again.
 */
export function subscribe(deps: SubscriptionDeps): Subscription {
  const {
    store,
    client,
    onSubscribed,
    onBatch,
    log,
    whenOpen,
    retryMs = 500,
    whenPainted = createPaintPace(),
  } = deps
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
    let watched = store.getState()
    const stream = await client.stream.subscribe(
      { subscription, watch: watchOf(watched) },
      { signal: ending.signal },
    )
    store.setState(begun)
    onSubscribed()
    const stopWatching = store.subscribe(state => {
      const isSame = sameKeys(watched.transcripts, state.transcripts) && sameKeys(watched.lists, state.lists)
      watched = state
      if (isSame) return
      client.stream
        .watch({ subscription, watch: watchOf(state) })
        .catch(error => log('the watch was not taken', error))
    })
    try {
      for await (const candidate of stream) {
        const { batch, frames } = envelopeOf(candidate)
        await whenPainted()
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

/** The host tells every banner and all live text of now: what another subscription said of them is over. */
function begun(state: State): Partial<State> {
  const transcripts = new Map([...state.transcripts].map(([id, held]) => [id, resubscribed(held)]))
  return { connection: 'open', epoch: state.epoch + 1, banners: new Map(), transcripts }
}

/** @throws Error for a batch that cannot be answered: the subscription is begun anew. */
function envelopeOf(candidate: unknown): { readonly batch: number; readonly frames: readonly unknown[] } {
  const { batch, frames } = (candidate ?? {}) as { readonly batch?: unknown; readonly frames?: unknown }
  if (typeof batch === 'number' && Array.isArray(frames)) return { batch, frames }
  throw new Error('a batch of frames is malformed')
}

/** What this window looks at: transcripts held, and the parents whose children it lists. */
export function watchOf({ transcripts, lists }: Pick<State, 'transcripts' | 'lists'>): Watch {
  return { open: [...transcripts.keys()].slice(-50), listed: [...lists.keys()].slice(-5000) }
}

function sameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one === other || (one.size === other.size && [...one.keys()].every(id => other.has(id)))
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
