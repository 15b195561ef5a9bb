import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from './client.ts'
import { failureOf } from './failure.ts'
import { createSingleFlight } from './single-flight.ts'
import type { State, Store } from './state.ts'
import { withEntries } from './with-entries.ts'

export interface ChildLoader {
  /**
   * Reads the children of a parent. One call at a time for each: asked for again meanwhile, it is read once more.
   * Resolves when what was asked for is in the store, rows or failure.
   */
  load(parentId: SessionId): Promise<void>
  /** Several parents, in one step of the store until they are here. */
  loadAll(parentIds: readonly SessionId[]): void
  /** Gives up the first reading of a parent: nothing is known of its children then. Rows that are there stay. */
  giveUp(parentId: SessionId): void
  /** Reads every parent again that frames marked as stale, after a moment in which more may come. */
  refreshStale(): void
  /** Reads every list held again, as after a reconnect. Rows stay until the new ones are here. */
  refreshAll(): void
}

/** The host does not answer faster for being asked for hundreds at once, as after a reconnect. */
const AT_ONCE = 6
const SETTLE_MS = 80
/** A parent of ten thousand to which children are added all the time is not read all the time. */
const LONGEST_SETTLE_MS = 2000

export function createChildLoader({
  store,
  client,
}: {
  readonly store: Store
  readonly client: Client
}): ChildLoader {
  const flights = createSingleFlight<SessionId>(async (parentId, signal) => {
    store.setState(state => withBegun(state, [parentId]))
    await turns.take()
    try {
      if (!signal.aborted) await read(parentId, signal)
    } finally {
      turns.leave()
    }
  })
  const turns = createTurns(AT_ONCE)
  let timer: ReturnType<typeof setTimeout> | null = null
  let tookMs = 0

  async function read(parentId: SessionId, signal: AbortSignal): Promise<void> {
    const asked = store.getState()
    const start = performance.now()
    try {
      const wanted = { parentId, with: ['facts' as const, 'warnings' as const, 'detail' as const] }
      const { entries } = await client.subagents.children(wanted, { signal })
      if (!signal.aborted) store.setState(state => withEntries(state, parentId, entries, asked))
    } catch (error) {
      // Given up: whoever did knows, and nothing is to be shown of it.
      if (signal.aborted) return
      const failure = failureOf(error)
      store.setState(state => {
        const held = state.lists.get(parentId)
        const list = held?.status === 'ready' ? { ...held, failure } : { status: 'failed' as const, failure }
        return { ...state, lists: new Map(state.lists).set(parentId, list) }
      })
    } finally {
      tookMs = performance.now() - start
    }
  }

  function refreshStale(): void {
    if (timer !== null || store.getState().stale.size === 0) return
    timer = setTimeout(
      () => {
        timer = null
        const { stale } = store.getState()
        store.setState({ stale: new Set() })
        for (const parentId of stale) void flights.ask(parentId)
      },
      Math.min(LONGEST_SETTLE_MS, SETTLE_MS + tookMs),
    )
  }

  return {
    load: flights.ask,
    loadAll: parentIds => {
      store.setState(state => withBegun(state, parentIds))
      for (const parentId of parentIds) void flights.ask(parentId)
    },
    giveUp: parentId => {
      if (store.getState().lists.get(parentId)?.status !== 'loading') return
      flights.cancel(parentId)
      store.setState(({ lists }) => {
        const next = new Map(lists)
        next.delete(parentId)
        return { lists: next }
      })
    },
    refreshStale,
    refreshAll: () => {
      for (const parentId of store.getState().lists.keys()) void flights.ask(parentId)
    },
  }
}

function withBegun(state: State, parentIds: readonly SessionId[]): State {
  const begun = parentIds.filter(id => {
    const held = state.lists.get(id)
    return held === undefined || held.status === 'failed'
  })
  if (begun.length === 0) return state
  const lists = new Map(state.lists)
  for (const id of begun) lists.set(id, { status: 'loading' })
  return { ...state, lists }
}

/** At most `count` at a time; whoever came last goes first: that is what the person looks at. */
function createTurns(count: number): { take(): Promise<void>; leave(): void } {
  const waiting: (() => void)[] = []
  let taken = 0
  return {
    take: () => {
      if (taken < count) {
        taken += 1
        return Promise.resolve()
      }
      return new Promise(resolve => waiting.push(resolve))
    },
    leave: () => {
      const next = waiting.pop()
      if (next === undefined) taken -= 1
      else next()
    },
  }
}
