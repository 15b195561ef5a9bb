import { textContent } from '#shared/session/content.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import { LogDraft } from './log-draft.ts'
import { CORPUS_ROUTE, type Ink, LEAST_TURN_EVENTS, writeTurn } from './turn.ts'

const MOST_TURN_EVENTS = 60
/** What begins a turn beside its own events: the message queued, taken and read. */
const MESSAGE_EVENTS = 3

export interface ChildPlan {
  readonly parent: SessionId
  readonly mode: 'one-shot' | 'continuable'
  readonly label: string
  readonly startMs: number
  readonly events: number
  /** How its last turn ends; `null` leaves it open. */
  readonly reason: TurnEndReason | null
}

/**
 * The log of a child, of exactly `plan.events` events: its identity as creation writes it, then turns. A one-shot
 * has one, a continuable child as many as there is room for.
 */
export function childLog(plan: ChildPlan, ink: Ink): readonly StoredEvent[] {
  const { parent, mode, events } = plan
  const log = new LogDraft(plan.startMs)
  for (const event of identity(plan).slice(0, events)) log.add(event)
  for (let turn = 1; log.length < events; turn += 1) {
    const room = events - log.length
    if (room < MESSAGE_EVENTS + LEAST_TURN_EVENTS) {
      log.add({ type: 'session/title', data: { title: plan.label, source: 'model' } })
      continue
    }
    const size = mode === 'one-shot' ? room : sizeOfTurn(room)
    const isLast = room - size < MESSAGE_EVENTS + LEAST_TURN_EVENTS
    writeRequest(log, parent, ink)
    const reason = isLast ? plan.reason : { kind: 'completed' as const }
    writeTurn(log, { turn, events: size - MESSAGE_EVENTS, reason }, ink)
  }
  return log.events
}

function sizeOfTurn(room: number): number {
  return room <= MOST_TURN_EVENTS + MESSAGE_EVENTS + LEAST_TURN_EVENTS ? room : MOST_TURN_EVENTS
}

function writeRequest(log: LogDraft, from: SessionId, { random, prose }: Ink): void {
  const messageId = random.localId('msg')
  const source = { kind: 'parent' as const, from }
  const content = textContent(prose.text(400))
  log.add({ type: 'inbox/queued', data: { messageId, mode: 'queue', source, content } })
  log.add({ type: 'inbox/claimed', data: { messageIds: [messageId] } })
  log.add({ type: 'user/message', data: { id: messageId, source, content } })
}

function identity({ mode, label }: ChildPlan): NewEvent[] {
  const { provider: agentProvider, model: agentModel } = CORPUS_ROUTE
  const made = { version: 2, mode, provider: 'spawn', label }
  return [
    {
      type: 'subagent/descriptor',
      data: mode === 'one-shot' ? made : { ...made, agentProvider, agentModel },
    },
    { type: 'approval/policy', data: { mode: 'workspace' } },
    { type: 'model/changed', data: { route: CORPUS_ROUTE, by: 'parent' } },
  ]
}
