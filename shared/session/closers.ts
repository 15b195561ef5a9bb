import type { AssistantContent } from './content.ts'
import type { ModelRoute, NewEvent, StoredEvent } from './events.ts'
import { asText } from './json.ts'

const OUTCOME_UNKNOWN =
  'The application stopped while this tool was running. It may have had effects: check before you repeat it.'
const NOT_STARTED = 'The application stopped before this tool was started. It had no effect.'

/** A message that was still streaming: its draft row, turned into the prefix that survived (contracts §1). */
export interface Draft {
  readonly id: string
  readonly turn: number
  readonly step: number
  readonly content: AssistantContent
  readonly model: ModelRoute | null
}

interface OpenCall {
  readonly turn: number
  readonly step: number
  readonly callId: string
  readonly name: string
  readonly started: boolean
}

/** What a log leaves open at its end. `turn` null: nothing is owed. */
interface OpenTail {
  readonly turn: number | null
  readonly step: number | null
  readonly calls: readonly OpenCall[]
  /** Call ids whose approval is still asked. */
  readonly asked: ReadonlySet<string>
  /** Ids of the messages that the turn finished: a draft of one of them is stale. */
  readonly messages: ReadonlySet<string>
}

/**
 * The events that end an interrupted log (contracts §2): its draft as an interrupted message, a result for every
 * call that has none, `step/end`, `turn/end{interrupted}`. Empty when no turn is open, or when every open call
 * waits for an approval: that log is not interrupted but waiting.
 */
export function closersOf(events: readonly StoredEvent[], draft: Draft | null): NewEvent[] {
  const tail = openTail(events)
  if (tail.turn === null || waitsForApproval(tail)) return []
  const closers: NewEvent[] = []
  if (draft !== null && draft.turn === tail.turn && !tail.messages.has(draft.id)) {
    const { id, turn, step, content, model } = draft
    const text = content.filter(block => block.type !== 'tool-call')
    const data = { id, turn, step, content: text, usage: null, model, interrupted: true as const }
    if (text.length > 0) closers.push({ type: 'assistant/message', data })
  }
  for (const { turn, step, callId, name, started } of tail.calls) {
    closers.push({
      type: 'tool/result',
      data: {
        turn,
        step,
        callId,
        name,
        status: 'error',
        code: started ? 'TOOL_OUTCOME_UNKNOWN' : 'TOOL_NOT_STARTED',
        content: [{ type: 'text', text: started ? OUTCOME_UNKNOWN : NOT_STARTED }],
      },
    })
  }
  if (tail.step !== null) closers.push({ type: 'step/end', data: { turn: tail.turn, step: tail.step } })
  closers.push({ type: 'turn/end', data: { turn: tail.turn, reason: { kind: 'interrupted' } } })
  return closers
}

/** Whether a log ends in a turn that waits for nothing but people's answers. */
export function isWaitingForApproval(events: readonly StoredEvent[]): boolean {
  return waitsForApproval(openTail(events))
}

export function hasOpenTurn(events: readonly StoredEvent[]): boolean {
  return openTail(events).turn !== null
}

function waitsForApproval(tail: OpenTail): boolean {
  return (
    tail.calls.length > 0 &&
    tail.asked.size > 0 &&
    tail.calls.every(call => !call.started) &&
    tail.calls.some(call => tail.asked.has(call.callId))
  )
}

function openTail(events: readonly StoredEvent[]): OpenTail {
  let turn: number | null = null
  let step: number | null = null
  const calls = new Map<string, OpenCall>()
  const asked = new Map<string, string>()
  const messages = new Set<string>()
  for (const { type, data } of events) {
    const fields = record(data)
    switch (type) {
      case 'turn/start':
        turn = number(fields['turn'])
        step = null
        calls.clear()
        asked.clear()
        messages.clear()
        break
      case 'turn/end':
        turn = null
        step = null
        calls.clear()
        asked.clear()
        break
      case 'step/start':
        step = number(fields['step'])
        break
      case 'step/end':
        step = null
        break
      case 'assistant/message':
        messages.add(asText(fields['id']))
        for (const block of list(fields['content']).map(record)) {
          if (block['type'] !== 'tool-call' || fields['interrupted'] === true) continue
          const callId = asText(block['callId'])
          const at = { turn: number(fields['turn']), step: number(fields['step']) }
          calls.set(callId, { ...at, callId, name: asText(block['name']), started: false })
        }
        break
      case 'tool/call': {
        const callId = asText(fields['callId'])
        const at = { turn: number(fields['turn']), step: number(fields['step']) }
        calls.set(callId, { ...at, callId, name: asText(fields['name']), started: true })
        break
      }
      case 'tool/result':
        calls.delete(asText(fields['callId']))
        break
      case 'approval/asked':
        asked.set(asText(fields['approvalId']), asText(fields['callId']))
        break
      case 'approval/decided':
        asked.delete(asText(fields['approvalId']))
        break
    }
  }
  return { turn, step, calls: [...calls.values()], asked: new Set(asked.values()), messages }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Turns and steps count from 1; 0 stands for one that cannot be read. */
function number(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
