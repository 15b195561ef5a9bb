import type { SessionSummary, UnreadableSession } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from './client.ts'
import { failureOf } from './failure.ts'
import { withKeys, withoutKeys } from './keyed.ts'
import { isSameJson } from './same-json.ts'
import { createSingleFlight } from './single-flight.ts'
import type { State, Store } from './state.ts'
import { isOver } from './with-entries.ts'

export interface SessionLoader {
  /** Roots, archived ones too, open approvals, host, settings and providers. Called at each (re)subscription. */
  refresh(): Promise<void>
  refreshRoots(): Promise<void>
  refreshApprovals(): Promise<void>
  refreshModels(): Promise<void>
  refreshHost(): Promise<void>
  /** What the composer may do with a session, and where it stands. */
  loadDetail(sessionId: SessionId): Promise<void>
}

export function createSessionLoader({
  store,
  client,
}: {
  readonly store: Store
  readonly client: Client
}): SessionLoader {
  const roots = createSingleFlight<'roots'>(async () => {
    store.setState(({ roots: held }) => (held.status === 'failed' ? { roots: { status: 'loading' } } : {}))
    const asked = store.getState()
    try {
      const { sessions, unreadable } = await client.sessions.list({ archived: 'too' })
      store.setState(state => withRoots(state, sessions, unreadable, asked))
    } catch (error) {
      const failure = failureOf(error)
      store.setState(({ roots: held }) => ({
        roots: held.status === 'ready' ? { ...held, failure } : { status: 'failed', failure },
      }))
    }
  })

  const approvals = createSingleFlight<'approvals'>(async () => {
    const answer = await client.approvals.open()
    store.setState({ approvals: answer.approvals })
    const { entries, summaries, details: held } = store.getState()
    for (const { sessionId } of answer.approvals) {
      if (!entries.has(sessionId) && !summaries.has(sessionId) && !held.has(sessionId))
        void details.ask(sessionId)
    }
  })

  const models = createSingleFlight<'models'>(async () => {
    const [settings, listed] = await Promise.all([client.settings.get({}), client.models.list()])
    store.setState({ settings, providers: listed.providers, defaultRoute: listed.defaultRoute })
  })

  const host = createSingleFlight<'host'>(async () => {
    store.setState({ host: await client.diagnostics.host() })
  })

  const details = createSingleFlight<SessionId>(async sessionId => {
    store.setState(({ details: held }) =>
      held.get(sessionId)?.status === 'ready'
        ? {}
        : { details: new Map(held).set(sessionId, { status: 'loading' }) },
    )
    try {
      const detail = await client.sessions.get({ sessionId })
      store.setState(state => ({
        details: new Map(state.details).set(sessionId, { status: 'ready', detail }),
        parents: withLineage(state.parents, detail.lineage),
      }))
    } catch (error) {
      const failure = failureOf(error)
      store.setState(({ details: held }) => ({
        details: new Map(held).set(sessionId, { status: 'failed', failure }),
      }))
    }
  })

  const loader: SessionLoader = {
    refresh: async () => {
      const { refreshRoots, refreshApprovals, refreshModels, refreshHost } = loader
      await Promise.all([refreshRoots(), refreshApprovals(), refreshModels(), refreshHost()])
    },
    refreshRoots: () => roots.ask('roots'),
    refreshApprovals: () => approvals.ask('approvals'),
    refreshModels: () => models.ask('models'),
    refreshHost: () => host.ask('host'),
    loadDetail: details.ask,
  }
  return loader
}

/**
 * The whole truth about roots as of `asked`, the state when they were asked for: those that are not in it are gone.
 * What frames said since is newer: a root that came meanwhile stays, one that went meanwhile does not come back.
 */
export function withRoots(
  state: State,
  answer: readonly SessionSummary[],
  unreadable: readonly UnreadableSession[],
  asked: State,
): State {
  const summaries = new Map<SessionId, SessionSummary>()
  for (const summary of answer) {
    const { id } = summary.header
    const before = state.summaries.get(id)
    if (before === undefined && asked.summaries.has(id)) continue
    summaries.set(id, before !== undefined && isSameJson(before, summary) ? before : summary)
  }
  for (const [id, summary] of state.summaries) {
    if (!summaries.has(id) && !asked.summaries.has(id)) summaries.set(id, summary)
  }
  const over = [...summaries.keys()].filter(id => isOver(state, id, asked.epoch))
  const records = [...new Map(unreadable.map(record => [record.id, record])).values()]
  return {
    ...state,
    summaries: isSameOrder(state.summaries, summaries) ? state.summaries : summaries,
    live: withoutKeys(state.live, over),
    unreadable: isSameJson(state.unreadable, records) ? state.unreadable : records,
    roots: { status: 'ready', failure: null },
  }
}

function isSameOrder<K, V>(one: ReadonlyMap<K, V>, other: ReadonlyMap<K, V>): boolean {
  if (one.size !== other.size) return false
  const before = one.values()
  for (const value of other.values()) if (before.next().value !== value) return false
  return true
}

function withLineage(
  parents: State['parents'],
  lineage: readonly { readonly id: SessionId }[],
): State['parents'] {
  return withKeys(
    parents,
    lineage.flatMap(({ id }, index) => {
      const above = lineage[index - 1]
      return above === undefined ? [] : [[id, above.id] as const]
    }),
  )
}
