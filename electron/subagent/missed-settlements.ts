import { z } from 'zod'
import { WorkbenchError } from '#shared/errors.ts'
import type { ProjectionValues } from '#shared/projection/units.ts'
import { textOf } from '#shared/session/content.ts'
import { readEvent } from '#shared/session/events.ts'
import { isSessionId, type SessionId, shortId } from '#shared/session/ids.ts'
import { coldOutcome } from '#shared/session/outcome.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { typedValues } from '../projection/typed-values.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore, SessionPersistence, StoredSession } from '../store/persistence.ts'
import type { Activation } from './activation.ts'
import { type Settlement, toChildOutcome } from './settlement.ts'

export interface MissedDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: Pick<SessionPersistence, 'list' | 'page'>
  readonly checkpoints: Pick<CheckpointStore, 'read' | 'snapshot'>
}

const TAIL_EVENTS = 100
const outcomeStateSchema = z.object({ children: z.array(z.object({ id: z.string() })) })

/**
 * Ends of children that came while this parent was away: of every continuable child, of each background child that
 * its log still waits for, and of each whose call was cut off by a sudden end. In the order of the children's creation. A
 * child whose record cannot be read is left out.
 */
export async function missedSettlements(deps: MissedDeps, parent: Activation): Promise<Settlement[]> {
  const { id } = parent.session
  // Before anything is waited for: what this residence starts is no news of an earlier one.
  const awaited = new Set<string>([...awaitedBy(deps.registry, id), ...parent.agent.log.cutOff])
  const { sessions } = await deps.persistence.list({ kind: 'children', parent: id })
  const cold = sessions.filter(({ header }) => deps.live.get(header.id) === undefined)
  const values = await currentValues(deps.checkpoints, cold)
  const missed = cold.flatMap(one => ended(one, values.get(one.header.id) ?? {}, parent, awaited))
  const told = await Promise.all(
    missed.map(async one => ({ ...one, text: await closingText(deps, one.childId) })),
  )
  const known = new Set<string>(sessions.map(({ header }) => header.id))
  return [...told, ...[...awaited].filter(child => !known.has(child)).flatMap(neverCreated)]
}

/** One query; only a child whose checkpoint is behind its log, or ends in an open turn, costs a read of the rest. */
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
    // Where a turn ends that was cut off, a checkpoint cannot say.
    const isCutOff = isCurrent && typedValues(checkpoint.values).outcome?.kind === 'interrupted'
    return [
      id,
      isCurrent && !isCutOff ? typedValues(checkpoint.values) : await folded(checkpoints, id),
    ] as const
  })
  return new Map(await Promise.all(entries))
}

async function folded(checkpoints: MissedDeps['checkpoints'], id: SessionId): Promise<ProjectionValues> {
  try {
    return typedValues((await checkpoints.snapshot(id)).values)
  } catch (error) {
    if (error instanceof WorkbenchError) return {}
    throw error
  }
}

function ended(
  { header: { id: sessionId }, endSeq }: StoredSession,
  values: ProjectionValues,
  parent: Activation,
  awaited: ReadonlySet<string>,
): Settlement[] {
  // One that is awaited and never ran ends at the end of its log.
  const childSeq = values.turns?.endSeq ?? (awaited.has(sessionId) ? endSeq - 1 : null)
  const isTold = childSeq === null || childSeq <= (parent.agent.log.settled.get(sessionId) ?? -1)
  const isOwed = values.subagent?.mode === 'continuable' || awaited.has(sessionId)
  if (isTold || !isOwed) return []
  const label = values.subagent?.label ?? shortId(sessionId)
  const outcome = coldOutcome(values.outcome ?? null)
  if (outcome?.kind === 'waiting') return []
  return [{ childId: sessionId, childSeq, label, text: '', ...toChildOutcome(outcome) }]
}

/** Announced by a call that was cut off before there was a child. */
function neverCreated(childId: string): Settlement[] {
  if (!isSessionId(childId)) return []
  const label = shortId(childId)
  return [{ childId, childSeq: 0, label, outcome: 'stopped', reason: 'It was never started.', text: '' }]
}

function awaitedBy(registry: ProjectionRegistry, id: SessionId): readonly string[] {
  const state = outcomeStateSchema.safeParse(registry.stateOf(id, 'outcome'))
  return state.success ? state.data.children.map(child => child.id) : []
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
