import type { SessionSummary, UnreadableSession } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from './client.ts'
import { failureOf } from './failure.ts'
import { withKeys, withoutKeys } from './keyed.ts'
import type { State, Store } from './state.ts'

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
  async function refreshRoots(): Promise<void> {
    const { epoch } = store.getState()
    try {
      const [current, archived] = await Promise.all([
        client.sessions.list({}),
        client.sessions.list({ archived: true }),
      ])
      const sessions = [...archived.sessions, ...current.sessions]
      const unreadable = [...current.unreadable, ...archived.unreadable]
      store.setState(state => withRoots(state, sessions, unreadable, epoch))
    } catch (error) {
      const failure = failureOf(error)
      store.setState(({ roots }) => ({
        roots: roots.status === 'ready' ? { ...roots, failure } : { status: 'failed', failure },
      }))
    }
  }

  async function refreshApprovals(): Promise<void> {
    const { approvals } = await client.approvals.open()
    store.setState({ approvals })
    const { entries, summaries, details } = store.getState()
    for (const { sessionId } of approvals) {
      if (!entries.has(sessionId) && !summaries.has(sessionId) && !details.has(sessionId))
        void loadDetail(sessionId)
    }
  }

  async function refreshModels(): Promise<void> {
    const [settings, models] = await Promise.all([client.settings.get({}), client.models.list()])
    store.setState({ settings, providers: models.providers, defaultRoute: models.defaultRoute })
  }

  async function refreshHost(): Promise<void> {
    store.setState({ host: await client.diagnostics.host() })
  }

  async function loadDetail(sessionId: SessionId): Promise<void> {
    store.setState(({ details }) =>
      details.get(sessionId)?.status === 'ready'
        ? {}
        : { details: new Map(details).set(sessionId, { status: 'loading' }) },
    )
    try {
      const detail = await client.sessions.get({ sessionId })
      store.setState(state => ({
        details: new Map(state.details).set(sessionId, { status: 'ready', detail }),
        parents: withLineage(state.parents, detail.lineage),
      }))
    } catch (error) {
      const failure = failureOf(error)
      store.setState(({ details }) => ({
        details: new Map(details).set(sessionId, { status: 'failed', failure }),
      }))
    }
  }

  return {
    refresh: async () => {
      await Promise.all([refreshRoots(), refreshApprovals(), refreshModels(), refreshHost()])
    },
    refreshRoots,
    refreshApprovals,
    refreshModels,
    refreshHost,
    loadDetail,
  }
}

/** The whole truth about roots as of one read: roots that are not in it are gone. */
export function withRoots(
  state: State,
  sessions: readonly SessionSummary[],
  unreadable: readonly UnreadableSession[],
  epoch: number,
): State {
  const summaries = new Map<SessionId, SessionSummary>()
  for (const summary of sessions) summaries.set(summary.header.id, summary)
  const over = [...summaries.keys()].filter(id => (state.live.get(id)?.epoch ?? epoch) < epoch)
  const live = withoutKeys(state.live, over)
  // A root that a frame of this subscription added while the list was read.
  for (const [id, summary] of state.summaries) {
    if (!summaries.has(id) && state.live.get(id)?.epoch === state.epoch) summaries.set(id, summary)
  }
  const seen = new Map(unreadable.map(record => [record.id, record]))
  return {
    ...state,
    summaries,
    live,
    unreadable: [...seen.values()],
    roots: { status: 'ready', failure: null },
  }
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
