import type { EventData, Todo } from '#shared/session/events.ts'
import { todoSchema } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import { asRecord, type JsonValue, listField } from '../json-fields.ts'
import type { ApiMessage, ToolUse } from './api-message.ts'
import type { EventLog } from './event-log.ts'
import { resultData, type ToolResult } from './tool-results.ts'

interface TurnWriterDeps {
  readonly log: EventLog
  readonly results: ReadonlyMap<string, ToolResult>
  readonly cwd: string | null
  childOf(callId: string): SessionId | null
}

interface OpenCall extends ToolUse {
  readonly step: number
}

/** How a workflow's agent hands over its answer: nothing follows such a call. */
const FINAL_TOOLS = new Set(['StructuredOutput'])
const NO_RESULT = 'The transcript holds no result of this call.'

/**
 * Writes turns, steps and calls so that every log closes: a call gets its result before the next step or the end
 * of its turn, from wherever the file has it, else one that says it is unknown.
 */
export class TurnWriter {
  readonly #deps: TurnWriterDeps
  #turn = 0
  #step = 0
  #isOpen = false
  #inStep = false
  #open = new Map<string, OpenCall>()
  /** Somebody still waits for the model. */
  #awaiting = false
  /** A call of the last step has no result. */
  #lostCall = false
  #error: string | null = null
  #stop: string | null = null

  constructor(deps: TurnWriterDeps) {
    this.#deps = deps
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The model is at work, or owes an answer. */
  get isBusy(): boolean {
    return this.#isOpen && (this.#awaiting || this.#open.size > 0)
  }

  /** Closes the turn before. `awaiting`: the model owes an answer. */
  startTurn(time: number | null, awaiting: boolean): void {
    this.endTurn()
    this.#turn += 1
    this.#step = 0
    this.#isOpen = true
    this.#awaiting = awaiting
    this.#lostCall = false
    this.#error = null
    this.#stop = null
    this.#deps.log.add({ type: 'turn/start', data: { turn: this.#turn } }, time)
  }

  /** A further message inside the open turn. */
  ask(): void {
    this.#awaiting = true
  }

  step(message: ApiMessage): void {
    if (!this.#isOpen) this.startTurn(message.first.time, false)
    this.endStep()
    this.#step += 1
    this.#lostCall = false
    this.#inStep = true
    const { log } = this.#deps
    const [turn, step] = [this.#turn, this.#step]
    const time = message.first.time
    const { id, content, usage } = message
    const model = message.model === null ? null : { provider: 'anthropic', model: message.model }
    log.add({ type: 'step/start', data: { turn, step } }, time)
    log.add({ type: 'assistant/message', data: { id, turn, step, content, usage, model } }, time)
    for (const call of message.calls) this.#call(call, step)
    this.#awaiting = message.calls.some(({ name }) => !FINAL_TOOLS.has(name))
    this.#stop = message.stop
    this.#error = message.isApiError
      ? content
          .map(block => (block.type === 'text' ? block.text : ''))
          .join('\n')
          .trim() || 'API error'
      : null
  }

  /** @returns whether a call waited for it. */
  result(result: ToolResult): boolean {
    const call = this.#open.get(result.callId)
    if (call === undefined) return false
    this.#close(call, result)
    return true
  }

  /** `finished`: someone else's record says that it ended well. */
  endTurn(by?: 'interrupt' | 'finished'): void {
    if (!this.#isOpen) return
    this.endStep()
    const reason =
      by === 'interrupt' ? ({ kind: 'aborted', by: 'user' } as const) : this.#reason(by === 'finished')
    this.#deps.log.add({ type: 'turn/end', data: { turn: this.#turn, reason } }, null)
    this.#isOpen = false
  }

  /** The tool's own record says that the turn ended by itself. */
  settle(): void {
    if (this.#open.size === 0) this.#awaiting = false
  }

  #reason(finished: boolean): TurnEndReason {
    if (this.#lostCall) return { kind: 'interrupted' }
    if (this.#error !== null)
      return { kind: 'error', code: 'MODEL_FAILED', message: this.#error, retryable: true }
    if (this.#stop === 'max_tokens') return { kind: 'max-tokens' }
    if (this.#stop === 'refusal') return { kind: 'blocked' }
    return { kind: this.#awaiting && !finished ? 'interrupted' : 'completed' }
  }

  #call(use: ToolUse, step: number): void {
    const { callId, name, input, time } = use
    const childId = this.#deps.childOf(callId)
    const data = { turn: this.#turn, step, callId, name, input, ...(childId !== null && { childId }) }
    this.#deps.log.add({ type: 'tool/call', data }, time)
    this.#open.set(callId, { ...use, step })
  }

  /** Gives every open call its result. */
  endStep(): void {
    for (const call of this.#open.values()) this.#close(call, this.#deps.results.get(call.callId) ?? null)
    if (!this.#inStep) return
    this.#deps.log.add({ type: 'step/end', data: { turn: this.#turn, step: this.#step } }, null)
    this.#inStep = false
  }

  #close(call: OpenCall, result: ToolResult | null): void {
    const { callId, name, step } = call
    this.#open.delete(callId)
    const at = { turn: this.#turn, step, callId, name }
    if (result === null) this.#lostCall = true
    const data: EventData<'tool/result'> =
      result === null
        ? {
            ...at,
            status: 'error',
            code: 'TOOL_OUTCOME_UNKNOWN',
            content: [{ type: 'text', text: NO_RESULT }],
          }
        : { ...at, ...resultData(result, call, this.#deps.cwd) }
    this.#deps.log.add({ type: 'tool/result', data }, result?.line.time ?? null)
    const items = name === 'TodoWrite' && data.status === 'ok' ? todosOf(call.input) : null
    if (items !== null) this.#deps.log.add({ type: 'todo/write', data: { items } }, null)
  }
}

function todosOf(input: JsonValue): Todo[] | null {
  const parsed = todoSchema.array().safeParse(listField(asRecord(input), 'todos'))
  return parsed.success ? parsed.data : null
}
