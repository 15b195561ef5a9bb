import type {
  Access,
  SessionDetail,
  SessionSummary,
  UnreadableSession,
} from '#shared/contract/session-shapes.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { IdentityRecord } from '#shared/projection/units/identity-record.ts'
import type { ProjectionValues } from '#shared/projection/units.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { FACT_KEYS, factsOf } from '#shared/subagent/facts.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { typedValues } from '../projection/typed-values.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore, SessionPersistence, StoredSession } from '../store/persistence.ts'
import type { Tool } from '../tool/tool.ts'
import type { Activations } from './activations.ts'
import { labelOf } from './approval-desk.ts'
import type { CatalogDeps } from './catalog/catalog-deps.ts'
import { countDescendants } from './catalog/list-descendants.ts'
import type { Lineage } from './lineage.ts'
import { findPreset, passesFilter } from './presets.ts'
import { whyNotResumable } from './resumable.ts'
import type { Rollups } from './rollup.ts'

export interface OverviewDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: Pick<SessionPersistence, 'list' | 'get'>
  readonly checkpoints: Pick<CheckpointStore, 'read' | 'snapshot'>
  readonly lineage: Lineage
  readonly rollups: Rollups
  readonly activations: Activations
  readonly catalog: CatalogDeps
  readonly tools: () => readonly Tool[]
  /** The sentence that says why a route cannot be used, else `null`. */
  readonly routeProblem: (route: ModelRoute) => string | null
  readonly isFolderMissing: (path: string) => Promise<boolean>
}

const SUMMARY_KEYS = ['title', ...FACT_KEYS]

export interface SessionList {
  readonly sessions: SessionSummary[]
  readonly unreadable: UnreadableSession[]
}

/** What the sidebar and a session's page show beside the history. Reads headers and checkpoints, no logs. */
export class SessionOverview {
  readonly #deps: OverviewDeps

  constructor(deps: OverviewDeps) {
    this.#deps = deps
  }

  /** Roots, latest activity first: with `too`, archived ones among the others. */
  async list(archived: boolean | 'too', signal?: AbortSignal): Promise<SessionList> {
    const { persistence, checkpoints, live } = this.#deps
    const listing = await persistence.list({ kind: 'roots' }, signal)
    const shown = listing.sessions.filter(session => archived === 'too' || session.archived === archived)
    const cold = shown.map(({ header }) => header.id).filter(id => live.get(id) === undefined)
    const found = await checkpoints.read(cold, SUMMARY_KEYS, signal)
    const byId = new Map(found.map(one => [one.sessionId, one]))
    const sessions = shown
      .map(stored => {
        const checkpoint = byId.get(stored.header.id)
        const isCurrent = checkpoint?.facts === lifecycleFacts(stored.header)
        return this.#summary(stored, isCurrent ? checkpoint.values : {})
      })
      .sort((a, b) => lastActivity(b) - lastActivity(a))
    return { sessions, unreadable: [...listing.unreadable] }
  }

  /** @throws WorkbenchError `SESSION_NOT_FOUND`. */
  async get(id: SessionId, signal?: AbortSignal): Promise<SessionDetail> {
    const { persistence, live, lineage, catalog } = this.#deps
    const stored = await persistence.get(id, signal)
    if (stored === null) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
    const header = live.get(id)?.header ?? stored.header
    const [chain, values, below] = await Promise.all([
      lineage.upwards(id),
      this.#values(id, signal),
      countDescendants(catalog, id, signal),
    ])
    const steps = await Promise.all(
      chain.map(async step => ({
        id: step.id,
        label: labelOf(step.id, typedValues(await this.#values(step.id, signal))),
        ...(step.origin !== undefined && { origin: step.origin }),
      })),
    )
    const rollup = this.#deps.rollups.of(id)
    const activity = live.get(id) === undefined ? ('inactive' as const) : ('running' as const)
    const typed = typedValues(values)
    return {
      header,
      label: labelOf(id, typed),
      mode: header.origin === undefined ? 'session' : (typed.subagent?.mode ?? null),
      activity,
      archived: stored.archived,
      access: await this.#access(header, typed),
      lineage: steps.reverse(),
      hasChildren: stored.hasSubagentChildren || below > 0,
      descendants: { total: below, ...rollup },
      facts: factsOf(header, values, activity),
    }
  }

  #summary(stored: StoredSession, checkpointed: Readonly<Record<string, Json>>): SessionSummary {
    const { header, archived, hasSubagentChildren } = stored
    const live = this.#deps.registry.snapshot(header.id)
    const values = live?.values ?? checkpointed
    const activity = live === null ? 'inactive' : 'running'
    return {
      header,
      title: typedValues(values).title ?? null,
      activity,
      hasChildren: hasSubagentChildren,
      archived,
      facts: { lastActivity: stored.lastActivity, ...factsOf(header, values, activity) },
      rollup: this.#deps.rollups.of(header.id),
    }
  }

  async #values(id: SessionId, signal?: AbortSignal): Promise<Readonly<Record<string, Json>>> {
    const live = this.#deps.registry.snapshot(id)
    if (live !== null) return live.values
    // A record that cannot be folded is still shown, by its id.
    return this.#deps.checkpoints.snapshot(id, signal).then(
      ({ values }) => values,
      () => ({}),
    )
  }

  async #access(header: SessionHeader, { identityRecord: record }: ProjectionValues): Promise<Access> {
    if (!record) {
      return {
        kind: 'read-only',
        reason: 'The record of this session is damaged: what can be read is shown.',
        canFork: true,
      }
    }
    const reason = whyNotResumable(header, record)
    if (reason !== null) return { kind: 'read-only', reason, canFork: true }
    if (header.origin === undefined || this.#deps.activations.get(header.id) !== undefined)
      return { kind: 'open' }
    return this.#resumable(header, record)
  }

  async #resumable({ cwd, preset }: SessionHeader, record: IdentityRecord): Promise<Access> {
    const { descriptor, route, approvalMode } = record
    const made = descriptor?.mode === 'continuable' ? descriptor : findPreset(preset ?? '')
    const isGone = cwd !== undefined && (await this.#deps.isFolderMissing(cwd))
    const problem = isGone
      ? `The folder ${cwd} is gone.`
      : route === null
        ? null
        : this.#deps.routeProblem(route)
    const tools = this.#deps.tools().map(({ name }) => name)
    return {
      kind: 'resumable',
      restores: {
        route,
        tools: tools.filter(name => passesFilter(name, made?.toolFilter)),
        persona: made?.persona ?? null,
        cwd: cwd ?? null,
        approvalMode,
      },
      problem,
    }
  }
}

function lastActivity({ facts, header }: SessionSummary): number {
  return facts.lastActivity ?? header.createdAt
}
