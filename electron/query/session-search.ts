import type { SearchAnswer, SearchHit, SearchRequest, SearchStatus } from '#shared/contract/search.ts'
import { type SessionId, shortId, toSessionId } from '#shared/session/ids.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { typedValues } from '../projection/typed-values.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { SearchStore } from '../store/search-client.ts'
import type { Lineage } from '../subagent/lineage.ts'

export interface SessionSearchDeps {
  readonly search: SearchStore
  readonly registry: Pick<ProjectionRegistry, 'snapshot'>
  readonly persistence: Pick<SessionPersistence, 'list'>
  readonly checkpoints: Pick<CheckpointStore, 'read' | 'recentSnapshot'>
  readonly lineage: Pick<Lineage, 'rootOf'>
}

type StoreAnswer = Awaited<ReturnType<SearchStore['query']>>
type FoundEvent = StoreAnswer['events'][number]

/** Looks at the index that one request may cost: each lets other work of the store pass. */
const MOST_LOOKS = 20
/** Events of a log that are folded for a name. */
const MOST_FOLDED = 500
const LABEL_KEYS = ['title', 'subagent']

/** Full-text search as the contract has it: what the index finds, with the names that projections give. */
export class SessionSearch {
  readonly #deps: SessionSearchDeps

  constructor(deps: SessionSearchDeps) {
    this.#deps = deps
  }

  /** Never fails for what the text holds. Fewer hits than `limit` with a `next` are no end: much was hidden. */
  async query(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
    const { text, limit, cursor, within } = request
    const sessions = within === undefined ? null : await this.#treeOf(within, signal)
    const events: FoundEvent[] = []
    let next: string | null = cursor ?? null
    let answer: StoreAnswer
    let looks = 0
    do {
      answer = await this.#deps.search.query(
        { text, limit: limit - events.length, cursor: next, sessions },
        signal,
      )
      events.push(...answer.events)
      next = answer.next
      looks += 1
    } while (events.length < limit && next !== null && looks < MOST_LOOKS)
    return { hits: await this.#withNames(events, signal), next, status: statusOf(answer.status) }
  }

  async status(signal?: AbortSignal): Promise<SearchStatus> {
    return statusOf(await this.#deps.search.status(signal))
  }

  async #treeOf(root: SessionId, signal?: AbortSignal): Promise<SessionId[]> {
    const { sessions } = await this.#deps.persistence.list({ kind: 'tree', root }, signal)
    return [root, ...sessions.map(({ header }) => header.id)]
  }

  async #withNames(events: readonly FoundEvent[], signal?: AbortSignal): Promise<SearchHit[]> {
    const ids = [...new Set(events.map(({ sessionId }) => toSessionId(sessionId)))]
    const labels = await this.#labels(ids, signal)
    const roots = new Map(await Promise.all(ids.map(async id => [id, await this.#rootOf(id)] as const)))
    return events.map(({ sessionId, excerpt, ...event }) => {
      const id = toSessionId(sessionId)
      return {
        ...event,
        sessionId: id,
        excerpt: { text: excerpt.text, ranges: excerpt.ranges.map(([start, end]) => [start, end]) },
        label: labels.get(id) ?? shortId(id),
        rootId: roots.get(id) ?? id,
      }
    })
  }

  /** From live units and checkpoints; of a short log that has none yet, from the log. */
  async #labels(ids: readonly SessionId[], signal?: AbortSignal): Promise<ReadonlyMap<SessionId, string>> {
    const labels = new Map<SessionId, string>()
    const cold: SessionId[] = []
    for (const id of ids) {
      const live = this.#deps.registry.snapshot(id)
      if (live === null) cold.push(id)
      else addLabel(labels, id, live.values)
    }
    const missing = new Set(cold)
    for (const { sessionId, values } of await this.#deps.checkpoints.read(cold, LABEL_KEYS, signal)) {
      addLabel(labels, sessionId, values)
      missing.delete(sessionId)
    }
    await Promise.all([...missing].map(id => this.#addFromLog(labels, id, signal)))
    return labels
  }

  /** Just created, or just let go: its checkpoint is on its way. */
  async #addFromLog(labels: Map<SessionId, string>, id: SessionId, signal?: AbortSignal): Promise<void> {
    try {
      const snapshot = await this.#deps.checkpoints.recentSnapshot(id, MOST_FOLDED, signal)
      if (snapshot !== null) addLabel(labels, id, snapshot.values)
    } catch {
      // A record that cannot be read has no name: its short id stands for it.
      signal?.throwIfAborted()
    }
  }

  async #rootOf(id: SessionId): Promise<SessionId> {
    // A header that cannot be read names no parent.
    return await this.#deps.lineage.rootOf(id).catch(() => id)
  }
}

function addLabel(
  labels: Map<SessionId, string>,
  id: SessionId,
  values: Parameters<typeof typedValues>[0],
): void {
  const { subagent, title } = typedValues(values)
  const label = subagent?.label ?? title
  if (label) labels.set(id, label)
}

function statusOf({ state, indexedEvents, totalEvents, problem }: StoreAnswer['status']): SearchStatus {
  return { state, indexedEvents, totalEvents, done: state === 'ready', problem }
}
