import type { LanguageModelV4 } from '@ai-sdk/provider'
import { hasCode, messageOf, WorkbenchError } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import type { EventData, ModelRoute, NewEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import type { Tool, ToolContext, ToolOutcome } from '../tool/tool.ts'
import type { ToolOutput } from '../tool/tool-output.ts'
import type { AgentSetup } from './agent-setup.ts'
import type { LiveMessage } from './live-message.ts'
import { ModelRequests, type ModelRequestsDeps } from './model-request.ts'
import { endedInTime } from './patience.ts'
import type { Questions } from './questions.ts'
import type { RequestedCall } from './run-step.ts'
import { type Announced, settleToolCalls } from './settle-tool-calls.ts'

export interface TurnsDeps extends ModelRequestsDeps {
  readonly questions: Questions
  readonly setup: () => AgentSetup
  /** @throws WorkbenchError `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`. */
  readonly resolveModel: (route: ModelRoute) => LanguageModelV4
  /** A limit that the next model request would break, in words, else `null`. */
  readonly limitReached: () => string | null
  /** Where a call puts what may be large. */
  readonly outputOf: (sessionId: SessionId, callId: string) => ToolOutput
  /** A fault of ours. The turn has ended with it. */
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

/** What a stopped tool may take to end what it started: a shell asks, waits two seconds, then kills. */
const PATIENCE_MS = 4500
const UNANSWERED: ToolOutcome = {
  status: 'error',
  code: 'TOOL_OUTCOME_UNKNOWN',
  content: textContent(
    'Told to stop, it did not answer. It may go on and have effects: check before you repeat it.',
  ),
}

interface StepAt {
  readonly turn: number
  readonly step: number
}

/** The turns of a session, one after the other: step → model request → tool calls, as far as the log owes it. */
export class Turns {
  readonly #deps: TurnsDeps
  readonly #requests: ModelRequests

  constructor(deps: TurnsDeps) {
    this.#deps = deps
    this.#requests = new ModelRequests(deps)
  }

  /** What the model is saying now. */
  get liveMessage(): LiveMessage | null {
    return this.#requests.liveMessage
  }

  /** Never rejects: however a turn ends is a reason. */
  async run(signal: AbortSignal): Promise<TurnEndReason> {
    try {
      if (!this.#deps.log.openTurn.isOpen) this.#openTurn()
      else await this.#settleOpenStep(signal)
      for (;;) {
        if (signal.aborted) return aborted(signal)
        const limit = this.#deps.limitReached()
        if (limit !== null) return { kind: 'aborted', by: 'limit' }
        const end = await this.#step(signal)
        if (end !== 'again') return end
      }
    } catch (error) {
      if (signal.aborted) return aborted(signal)
      if (!(error instanceof WorkbenchError)) this.#deps.onError(error)
      const code = error instanceof WorkbenchError ? error.code : 'INTERNAL'
      return { kind: 'error', code, message: messageOf(error), retryable: hasCode(error, 'NOT_SAVED') }
    }
  }

  /** One message of those that want a turn of their own, and all that only want to be read soon. */
  #openTurn(): void {
    this.#deps.session.append({ type: 'turn/start', data: { turn: this.#deps.log.turn + 1 } })
    const { inbox } = this.#deps.log
    const own = inbox.find(({ mode }) => mode === 'queue')
    this.#claim(inbox.filter(message => message === own || message.mode === 'steer'))
  }

  #claim(messages: readonly EventData<'inbox/queued'>[]): void {
    if (messages.length === 0) return
    this.#deps.session.append({
      type: 'inbox/claimed',
      data: { messageIds: messages.map(({ messageId }) => messageId) },
    })
    for (const { messageId: id, source, content } of messages) {
      this.#deps.session.append({ type: 'user/message', data: { id, source, content } })
    }
  }

  async #step(signal: AbortSignal): Promise<TurnEndReason | 'again'> {
    const setup = this.#deps.setup()
    const model = this.#deps.resolveModel(setup.route)
    const at = { turn: this.#deps.log.turn, step: this.#deps.log.openTurn.step + 1 }
    this.#logHeader(setup)
    this.#deps.session.append({ type: 'step/start', data: at })
    const end = await this.#requests.answer(model, setup, at, signal)
    if (end.kind === 'finished') await this.#settle(end.calls, setup, at, signal)
    this.#deps.session.append({ type: 'step/end', data: at })
    if (end.kind === 'failed') {
      const { code, message, retryable } = this.#deps.describeError(end.error, setup.route)
      return { kind: 'error', code, message, retryable }
    }
    if (end.kind === 'stopped' || signal.aborted) return aborted(signal)
    const steered = this.#deps.log.inbox.filter(({ mode }) => mode === 'steer')
    this.#claim(steered)
    if (end.calls.length > 0 || steered.length > 0) return 'again'
    if (end.finish === 'length') return { kind: 'max-tokens' }
    return end.finish === 'blocked' ? { kind: 'blocked' } : { kind: 'completed' }
  }

  /** The request header is logged when it differs from the last one: what the model was told can be rebuilt. */
  #logHeader({ route, system, tools }: AgentSetup): void {
    const data = { route, system, tools: tools.map(({ name }) => name) }
    if (JSON.stringify(data) === this.#deps.log.requestHeader) return
    this.#deps.session.append({ type: 'request/header', data })
  }

  /** The calls of a step that an earlier process left unanswered. */
  async #settleOpenStep(signal: AbortSignal): Promise<void> {
    const open = this.#deps.log.openTurn.openStep
    if (open === null) return
    const at = { turn: open.turn, step: open.step }
    await this.#settle(open.calls, this.#deps.setup(), at, signal)
    this.#deps.session.append({ type: 'step/end', data: at })
  }

  #settle(
    calls: readonly RequestedCall[],
    setup: AgentSetup,
    at: StepAt,
    signal: AbortSignal,
  ): Promise<void> {
    return settleToolCalls(calls, {
      ...at,
      tools: setup.tools,
      signal,
      now: this.#deps.now,
      append: event => void this.#deps.session.append(event),
      permit: (tool, call, input) => this.#deps.questions.permit(tool, call, input, at, signal),
      barrier: this.#deps.untilSaved,
      execute: (tool, call, input, announced) =>
        this.#execute(tool, call, input, announced, setup.cwd, signal),
    })
  }

  async #execute(
    tool: Tool,
    { callId }: RequestedCall,
    input: unknown,
    { childId }: Announced,
    cwd: string,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const sessionId = this.#deps.session.id
    const output = this.#deps.outputOf(sessionId, callId)
    const context: ToolContext = {
      sessionId,
      callId,
      cwd,
      signal,
      output,
      ...(childId !== undefined && { childId }),
    }
    const work = tool.execute(input, context).finally(() => output.finish())
    // A child ends by its own patience, and its parent waits for the end of it.
    const outcome = tool.toolClass === 'delegate' ? await work : await endedInTime(work, signal, PATIENCE_MS)
    if (outcome === null) return UNANSWERED
    if (tool.toolClass === 'state' && outcome.status === 'ok') this.#recordState(tool, input)
    return outcome
  }

  /** A tool that only writes session state: the state is an event of its own. */
  #recordState(tool: Tool, input: unknown): void {
    if (tool.name !== 'todo') return
    const event = { type: 'todo/write', data: input } as NewEvent
    this.#deps.session.append(event)
  }
}

function aborted(signal: AbortSignal): TurnEndReason {
  const by: unknown = signal.reason
  return { kind: 'aborted', by: by === 'parent' || by === 'disposed' || by === 'limit' ? by : 'user' }
}
