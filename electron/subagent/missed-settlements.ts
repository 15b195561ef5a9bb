import type { ProjectionValues } from '#shared/projection/units.ts'
import { textOf } from '#shared/session/content.ts'
import { readEvent } from '#shared/session/events.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { coldOutcome } from '#shared/session/outcome.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointedValues, CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Activation } from './activations.ts'
import { type Settlement, toChildOutcome } from './settlement.ts'

export interface MissedDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: Pick<SessionPersistence, 'list' | 'page'>
  readonly checkpoints: Pick<CheckpointStore, 'read'>
}

const TAIL_EVENTS = 100

/**
 * Ends of children that came while this parent was away: of every continuable child, and of each background child
 * that its log still waits for. In the order of the children's creation.
 */
export async function missedSettlements(deps: MissedDeps, parent: Activation): Promise<Settlement[]> {
  const { id } = parent.session
  const { sessions } = await deps.persistence.list({ kind: 'children', parent: id })
  const cold = sessions.map(({ header }) => header.id).filter(child => deps.live.get(child) === undefined)
  const checkpoints = await deps.checkpoints.read(cold, ['subagent', 'outcome', 'turns'])
  const awaited = new Set(awaitedBy(deps.registry, id))
  const missed = checkpoints.flatMap(checkpoint => ended(checkpoint, parent, awaited))
  return Promise.all(missed.map(async one => ({ ...one, text: await closingText(deps, one.childId) })))
}

function ended(
  { sessionId, values: published }: CheckpointedValues,
  parent: Activation,
  awaited: ReadonlySet<string>,
): Settlement[] {
  const values = published as ProjectionValues
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
