import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { Client } from './client.ts'
import { failureOf } from './failure.ts'
import { withKeys, withoutKeys } from './keyed.ts'
import type { State, Store } from './state.ts'

export interface ChildLoader {
  /** Reads the children of a parent once; a second call while it runs does nothing more. */
  load(parentId: SessionId): Promise<void>
  /** Reads every parent again that frames marked as stale, after a moment in which more may come. */
  refreshStale(): void
  /** Reads every list held again, as after a reconnect. Rows stay until the new ones are here. */
  refreshAll(): void
}

const SETTLE_MS = 80

export function createChildLoader({
  store,
  client,
}: {
  readonly store: Store
  readonly client: Client
}): ChildLoader {
  const running = new Map<SessionId, { again: boolean }>()
  let timer: ReturnType<typeof setTimeout> | null = null

  async function load(parentId: SessionId): Promise<void> {
    const flight = running.get(parentId)
    if (flight !== undefined) {
      flight.again = true
      return
    }
    const mine = { again: false }
    running.set(parentId, mine)
    store.setState(state => begun(state, parentId))
    do {
      mine.again = false
      await read(parentId)
    } while (mine.again)
    running.delete(parentId)
  }

  async function read(parentId: SessionId): Promise<void> {
    const { epoch } = store.getState()
    try {
      const { entries } = await client.subagents.children({ parentId, with: ['facts', 'warnings', 'detail'] })
      store.setState(state => withEntries(state, parentId, entries, epoch))
    } catch (error) {
      const failure = failureOf(error)
      store.setState(state => {
        const held = state.lists.get(parentId)
        const list = held?.status === 'ready' ? { ...held, failure } : { status: 'failed' as const, failure }
        return { ...state, lists: new Map(state.lists).set(parentId, list) }
      })
    }
  }

  function refreshStale(): void {
    if (timer !== null || store.getState().stale.size === 0) return
    timer = setTimeout(() => {
      timer = null
      const { stale } = store.getState()
      store.setState({ stale: new Set() })
      for (const parentId of stale) void load(parentId)
    }, SETTLE_MS)
  }

  return {
    load,
    refreshStale,
    refreshAll: () => {
      for (const parentId of store.getState().lists.keys()) void load(parentId)
    },
  }
}

function begun(state: State, parentId: SessionId): State {
  if (state.lists.get(parentId)?.status === 'ready') return state
  return { ...state, lists: new Map(state.lists).set(parentId, { status: 'loading' }) }
}

/** What frames of an earlier subscription said of these children is over; what this one said stays. */
export function withEntries(
  state: State,
  parentId: SessionId,
  listed: readonly SubagentListEntry[],
  epoch: number,
): State {
  const held = state.lists.get(parentId)
  const before = held?.status === 'ready' ? held.entries : []
  const kept = new Set(listed.map(entry => entry.id))
  const gone = before.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
  const entries = withKeys(
    withoutKeys(state.entries, gone),
    listed.map(entry => [entry.id, entry] as const),
  )
  const parents = withKeys(
    state.parents,
    listed.map(entry => [entry.id, parentId] as const),
  )
  const over = listed.flatMap(({ id }) => ((state.live.get(id)?.epoch ?? epoch) < epoch ? [id] : []))
  const live = withoutKeys(state.live, over)
  const lists = new Map(state.lists).set(parentId, { status: 'ready', entries: listed, failure: null })
  return { ...state, lists, entries, parents, live }
}
