import { z } from 'zod'
import { asText } from '../../session/json.ts'
import {
  type Outcome,
  outcomeSchema,
  type TurnEndReason,
  turnEndReasonSchema,
} from '../../session/outcome.ts'
import { defineUnit, isInherited } from '../unit.ts'

const stateSchema = z.object({
  /** The latest turn by itself. */
  turn: outcomeSchema.nullable(),
  /** Open approvals by id. */
  asked: z.array(z.string()),
  /** Background children by id, with the call that was to start each. */
  children: z.array(z.object({ id: z.string(), callId: z.string() })),
  /** Messages accepted and not yet read. */
  queued: z.array(z.string()),
})
type OutcomeState = z.infer<typeof stateSchema>

/** What became of the latest own turn, with what the session still waits for. `null` before the first. */
export const outcome = defineUnit({
  key: 'outcome',
  stateVersion: 2,
  stateSchema,
  on: [
    'turn/start',
    'turn/end',
    'approval/asked',
    'approval/decided',
    'tool/call',
    'tool/result',
    'subagent/settled',
    'inbox/queued',
    'inbox/claimed',
    'inbox/cancelled',
  ],
  init: (): OutcomeState => ({ turn: null, asked: [], children: [], queued: [] }),
  apply: (state, event, ctx): OutcomeState => {
    if (isInherited(event, ctx)) return state
    switch (event.type) {
      case 'turn/start':
        return { ...state, turn: { kind: 'running' }, asked: [] }
      case 'turn/end':
        return { ...state, turn: ofReason(event.data?.reason), asked: [] }
      case 'approval/asked':
        return { ...state, asked: [...state.asked, asText(event.data?.approvalId)] }
      case 'approval/decided':
        return state.asked.includes(event.data?.approvalId)
          ? { ...state, asked: without(state.asked, event.data?.approvalId) }
          : state
      case 'tool/call':
        return event.data?.background === true && typeof event.data.childId === 'string'
          ? withChild(state, { id: event.data.childId, callId: asText(event.data.callId) })
          : state
      case 'tool/result':
        // A child that was not started is not waited for; of a call that was cut off nobody knows.
        return event.data?.status === 'error' && event.data.code !== 'TOOL_OUTCOME_UNKNOWN'
          ? withoutChild(state, ({ callId }) => callId === event.data.callId)
          : state
      case 'subagent/settled':
        return withoutChild(state, ({ id }) => id === event.data?.childId)
      case 'inbox/queued':
        return { ...state, queued: [...state.queued, asText(event.data?.messageId)] }
      case 'inbox/claimed':
      case 'inbox/cancelled': {
        const ids: unknown = event.data?.messageIds
        return Array.isArray(ids) && state.queued.some(id => ids.includes(id))
          ? { ...state, queued: state.queued.filter(id => !ids.includes(id)) }
          : state
      }
      default:
        return state
    }
  },
  view: ({ turn, asked, children, queued }): Outcome | null => {
    if (asked.length > 0) return { kind: 'waiting', on: 'approval' }
    if (turn?.kind === 'running') return turn
    if (queued.length > 0 && (turn === null || turn.kind === 'completed')) return { kind: 'queued' }
    if (turn?.kind === 'completed' && children.length > 0) return { kind: 'waiting', on: 'children' }
    return turn
  },
  viewSchema: outcomeSchema.nullable(),
})

type Child = OutcomeState['children'][number]

function withChild(state: OutcomeState, child: Child): OutcomeState {
  return { ...state, children: [...state.children.filter(({ id }) => id !== child.id), child] }
}

function withoutChild(state: OutcomeState, isGone: (child: Child) => boolean): OutcomeState {
  return state.children.some(isGone)
    ? { ...state, children: state.children.filter(child => !isGone(child)) }
    : state
}

function without(list: readonly string[], gone: unknown): string[] {
  return list.filter(item => item !== gone)
}

function ofReason(data: unknown): Outcome {
  const parsed = turnEndReasonSchema.safeParse(data)
  return parsed.success ? ofKnownReason(parsed.data) : { kind: 'interrupted' }
}

function ofKnownReason(reason: TurnEndReason): Outcome {
  switch (reason.kind) {
    case 'completed':
      return { kind: 'completed' }
    case 'aborted':
      return reason.by === 'limit' ? { kind: 'limited' } : { kind: 'cancelled', by: reason.by }
    case 'error': {
      const { code, message, retryable } = reason
      return { kind: 'failed', code, message, retryable }
    }
    case 'blocked':
      return failed('BLOCKED', 'The model declined to go on.', false)
    case 'max-tokens':
      return failed('MAX_TOKENS', 'The answer reached the token limit of the model.', true)
    case 'interrupted':
      return { kind: 'interrupted' }
  }
}

function failed(code: string, message: string, retryable: boolean): Outcome {
  return { kind: 'failed', code, message, retryable }
}
