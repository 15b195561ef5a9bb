import type { ProjectionValues } from '#shared/projection/units.ts'
import { textOf } from '#shared/session/content.ts'
import { readEvent } from '#shared/session/events.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { coldOutcome } from '#shared/session/outcome.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore, SessionPersistence, StoredSession } from '../store/persistence.ts'
import type { Activation } from './activations.ts'
import { type Settlement, toChildOutcome } from './settlement.ts'

export interface MissedDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: Pick<SessionPersistence, 'list' | 'page'>
  readonly checkpoints: Pick<CheckpointStore, 'read' | 'snapshot'>
}

const TAIL_EVENTS = 100

/**
 * Ends of children that came while this parent was away: of every continuable child, and of each background child
 * that its log still waits for. In the order of the children's creation.
 */
export async function missedSettlements(deps: MissedDeps, parent: Activation): Promise<Settlement[]> {
  const { id } = parent.session
  const { sessions } = await deps.persistence.list({ kind: 'children', parent: id })
  const cold = sessions.filter(({ header }) => deps.live.get(header.id) === undefined)
  const awaited = new Set(awaitedBy(deps.registry, id))
  const values = await currentValues(deps.checkpoints, cold)
  const missed = cold.flatMap(({ header }) => ended(header.id, values.get(header.id) ?? {}, parent, awaited))
  return Promise.all(missed.map(async one => ({ ...one, text: await closingText(deps, one.childId) })))
}

/** One query; only a child whose checkpoint is behind its log costs a read of the rest. */
async function currentValues(
  checkpoints: MissedDeps['checkpoints'],
  children: readonly StoredSession[],
): Promise<ReadonlyMap<SessionId, ProjectionValues>> {
  const ids = children.map(({ header }) => header.id)
  const found = await checkpoints.read(ids, ['subagent', 'outcome', 'turns'])
  const byId = new Map(found.map(one => [one.sessionId, one]))
  const entries = children.map(async ({ header: { id }, endSeq }) => {
    const checkpoint = byId.get(id)
    const isCurrent = checkpoint !== undefined && checkpoint.asOfSeq === endSeq - 1
    const { values } = isCurrent ? checkpoint : await checkpoints.snapshot(id)
    return [id, values as ProjectionValues] as const
  })
  return new Map(await Promise.all(entries))
}

function ended(
  sessionId: SessionId,
  values: ProjectionValues,
  parent: Activation,
  awaited: ReadonlySet<string>,
): Settlement[] {
  const childSeq = values.turns?.endSeq ?? null
  const isTold = childSeq === null || childSeq <= (parent.agent.log.settled.get(sessionId) ?? -1)
  const isOwed = values.subagent?.mode === 'continuable' || awaited.has(sessionId)
  if (isTold || !isOwed) return []
  const label = values.subagent?.label ?? shortId(sessionId)
  const outcome = coldOutcome(values.outcome ?? null)
  if (outcome?.kind === 'waiting') return []
  return [{ childId: sessionId, childSeq, label, text: '', ...toChildOutcome(outcome) }]
}

function awaitedBy(registry: ProjectionRegistry, id: SessionId): readonly string[] {
  const state = registry.stateOf(id, 'outcome') as { readonly children: readonly string[] } | undefined
  return state?.children ?? []
}

async function closingText({ persistence }: MissedDeps, childId: SessionId): Promise<string> {
  const { events } = await persistence.page(childId, { limit: TAIL_EVENTS })
  for (const event of events.map(readEvent).reverse()) {
    if (event?.type !== 'assistant/message') continue
    const text = textOf(event.data.content)
    if (text !== '') return text
  }
  return ''
}
