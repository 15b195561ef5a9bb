import { stat } from 'node:fs/promises'
import { messageOf } from '#shared/errors.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { Exports } from './export/exports.ts'
import { planExport } from './export/plan-export.ts'
import type { ProviderModels } from './model/create-models.ts'
import { createHistory, type History } from './projection/history.ts'
import type { ProjectionRegistry } from './projection/registry.ts'
import { SessionQuery } from './query/session-query.ts'
import { SessionSearch } from './query/session-search.ts'
import type { LiveSessions } from './session/live-sessions.ts'
import type { Store } from './store/store-client.ts'
import type { Activations } from './subagent/activations.ts'
import type { CatalogDeps } from './subagent/catalog/catalog-deps.ts'
import { listDescendants } from './subagent/catalog/list-descendants.ts'
import { withSharedReads } from './subagent/catalog/share-reads.ts'
import type { Lineage } from './subagent/lineage.ts'
import type { Rollups } from './subagent/rollup.ts'
import { SessionOverview } from './subagent/session-overview.ts'
import type { Tool } from './tool/tool.ts'

export interface ReadersDeps {
  readonly store: Store
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly lineage: Lineage
  readonly rollups: Rollups
  readonly catalog: CatalogDeps
  readonly activations: Activations
  readonly models: ProviderModels
  readonly tools: () => readonly Tool[]
  /** Secrets that no export may hold. */
  readonly known: () => readonly string[]
  readonly onLateSnapshot: (id: SessionId, snapshot: FoldSnapshot) => void
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

/** Everything that shows sessions and changes none of them. */
export interface Readers {
  readonly catalog: CatalogDeps
  readonly overview: SessionOverview
  readonly history: History
  readonly query: SessionQuery
  readonly search: SessionSearch
  readonly exports: Exports
}

export function createCatalog(store: Store, live: LiveSessions, registry: ProjectionRegistry): CatalogDeps {
  const { persistence, checkpoints } = store
  return {
    sessions: live,
    registry,
    persistence: withSharedReads(persistence),
    checkpoints,
    isFolderMissing,
  }
}

export function createReaders(deps: ReadersDeps): Readers {
  const { store, live, registry, lineage, catalog, models, known, onLateSnapshot, onError, now } = deps
  const { persistence, checkpoints } = store
  const overview = new SessionOverview({
    ...deps,
    persistence,
    checkpoints,
    catalog,
    routeProblem: route => routeProblem(models, route),
    isFolderMissing,
  })
  const exports = new Exports({
    sources: { live: id => live.get(id), persistence, outputs: store.outputs, known },
    plan: (request, signal) =>
      planExport(
        {
          persistence,
          describe: (id, waited) => overview.get(id, waited),
          descendants: (id, waited) =>
            listDescendants(catalog, id, { signal: waited, with: ['facts', 'detail'] }),
          now,
        },
        request,
        signal,
      ),
  })
  const history = createHistory({ live, registry, persistence, checkpoints, onLateSnapshot, onError })
  const query = new SessionQuery({ live, persistence, history })
  const search = new SessionSearch({ search: store.search, registry, persistence, checkpoints, lineage })
  return { catalog, overview, history, query, search, exports }
}

function isFolderMissing(path: string): Promise<boolean> {
  return stat(path).then(
    found => !found.isDirectory(),
    () => true,
  )
}

function routeProblem(models: ProviderModels, route: ModelRoute): string | null {
  try {
    models.resolve(route)
    return null
  } catch (error) {
    return messageOf(error)
  }
}
