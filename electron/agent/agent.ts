import type { LanguageModelV4 } from '@ai-sdk/provider'
import { hasCode, messageOf, WorkbenchError } from '#shared/errors.ts'
import type { Draft } from '#shared/session/closers.ts'
import type { Content } from '#shared/session/content.ts'
import type {
  ApprovalDecision,
  EventData,
  MessageSource,
  ModelRoute,
  NewEvent,
  StoredEvent,
  Usage,
} from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { StopCause, TurnEndReason } from '#shared/session/outcome.ts'
import type { Session } from '../session/session.ts'
import type { Tool, ToolContext, ToolOutcome } from '../tool/tool.ts'
import { AgentLog } from './agent-log.ts'
import { LiveMessage, type TextPiece } from './live-message.ts'
import { type RequestedCall, runStep, type StepEnd } from './run-step.ts'
import { type Announced, type Permission, settleToolCalls } from './settle-tool-calls.ts'

/** What an agent is: read anew before each model request, so that a changed model counts at once. */
export interface AgentSetup {
  readonly route: ModelRoute
  readonly system: string
  readonly tools: readonly Tool[]
  readonly cwd: string
}

export interface AgentDeps {
  readonly session: Session
  /** The whole log so far. */
  readonly events: readonly StoredEvent[]
  readonly setup: () => AgentSetup
  /** @throws WorkbenchError `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`. */
  readonly resolveModel: (route: ModelRoute) => LanguageModelV4
  readonly cost: (route: ModelRoute, usage: Usage) => number | undefined
  /** `null`: the call may run. Else what an *always* answer to its question would cover. */
  readonly mustAsk: (tool: Tool, input: unknown) => string | null
  /** A limit that the next model request would break, in words, else `null`. */
  readonly limitReached: () => string | null
  /** Resolves when everything logged is durable, however long saving fails. Rejects only when aborted. */
  readonly untilSaved: (signal: AbortSignal) => Promise<void>
  readonly saveDraft: (draft: Draft | null) => void
  readonly onPiece: (piece: TextPiece) => void
  readonly onMessageEnd: (messageId: string) => void
  /** A turn ended and no other follows: the inbox is empty or parked. */
  readonly onIdle: () => void
  /** A fault of ours. The turn has ended with it. */
  readonly onError: (error: unknown) => void
  readonly describeError: (error: unknown, route: ModelRoute) => ModelFailure
  readonly newId: () => string
  readonly now: () => number
}

export interface ModelFailure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

const DRAFT_EVERY_MS = 1000
/** Waits before a request is tried again, when nothing of its answer had come yet. */
const RETRY_AFTER_MS = [1000, 4000]

/**
 * One agent at work on its session: turn → step → tool calls. What comes next follows from the log alone, so an
 * agent made from a stored log goes on where that log stops.
 */
export class Agent {
  readonly #deps: AgentDeps
  readonly #log: AgentLog
  readonly #waiting = new Map<string, (decision: ApprovalDecision) => void>()
  #running: Promise<void> | null = null
  #abort: AbortController | null = null
  #live: LiveMessage | null = null
  #parked = false
  #disposed = false

  constructor(deps: AgentDeps) {
    this.#deps = deps
    this.#log = new AgentLog(deps.session.header, deps.events)
  }

  get session(): Session {
    return this.#deps.session
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Messages that wait for a turn. */
  get queued(): number {
    return this.#log.inbox.length
  }

  get log(): AgentLog {
    return this.#log
  }

  get liveMessage(): LiveMessage | null {
    return this.#live
  }

  /** To be told of every event of the session, in order, also of its own. */
  observe(event: StoredEvent): void {
    this.#log.apply(event)
  }

  /**
   * Accepts a message: logged before it returns, read by a turn later. `queue`: the next turn of its own;
   * `steer`: the next step of the running turn. Wakes a parked agent, which first reads what was parked; a
   * child's settlement does not: whoever was stopped stays stopped until somebody speaks to it.
   */
  deliver(content: Content, source: MessageSource, mode: 'queue' | 'steer'): string {
    const messageId = this.#deps.newId()
    this.session.append({ type: 'inbox/queued', data: { messageId, mode, source, content } })
    if (source.kind !== 'settlement' || !this.#parked) this.wake()
    return messageId
  }

  /** Goes on with what the log owes: an open turn, or messages in the inbox. */
  wake(): void {
    this.#parked = false
    if (this.#running !== null || this.#disposed) return
    if (!this.#log.isTurnOpen && this.#log.inbox.length === 0) return
    this.#running = this.#run()
      .catch((error: unknown) => this.#deps.onError(error))
      .finally(() => {
        this.#running = null
        // A message may have come after the loop looked for one.
        if (!this.#parked && !this.#disposed && this.#log.inbox.length > 0) this.wake()
        else this.#deps.onIdle()
      })
  }

  /** Takes a message back. @returns whether it was still there. */
  unqueue(messageId: string, by: 'person' | 'parent'): boolean {
    if (!this.#log.inbox.some(message => message.messageId === messageId)) return false
    this.session.append({ type: 'inbox/cancelled', data: { messageIds: [messageId], by } })
    return true
  }

  /**
   * Answers an open question; a session that stopped at it goes on from there.
   * @throws WorkbenchError `APPROVAL_NOT_OPEN` when it was answered, or its turn is over.
   */
  decide(approvalId: string, decision: ApprovalDecision, by: 'person' | 'rule'): void {
    const asked = this.#log.questions.get(approvalId)
    if (asked === undefined || asked.decision !== null) {
      throw new WorkbenchError('APPROVAL_NOT_OPEN', 'This question is not open any more.')
    }
    const { callId } = asked
    this.session.append({ type: 'approval/decided', data: { approvalId, callId, decision, by } })
    this.#waiting.get(approvalId)?.(decision)
    this.wake()
  }

  /** Stops the current turn and keeps the inbox. A turn that only waits on disk for an answer is ended too. */
  interrupt(by: StopCause): void {
    this.#parked = true
    this.#abort?.abort(by)
    if (this.#running !== null || !this.#log.isTurnOpen) return
    for (const event of this.#log.closers(by)) this.session.append(event)
    this.#deps.onIdle()
  }

  /** Resolves when the current turn, if any, has ended and is logged. */
  async settled(): Promise<void> {
    await this.#running
  }

  /** Nothing is done but wait for people's answers: the turn may stay open on disk and go on at another time. */
  get isWaitingForAnswers(): boolean {
    return this.#waiting.size > 0 && this.#waiting.size === this.#log.openStep?.calls.length
  }

  /**
   * Stops for good. Resolves when the work has stopped. A turn that only waits for answers is left open: its
   * questions outlive this process.
   */
  async dispose(): Promise<void> {
    this.#disposed = true
    if (this.isWaitingForAnswers) return
    this.#abort?.abort('disposed')
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#parked && !this.#disposed && (this.#log.isTurnOpen || this.#log.inbox.length > 0)) {
      const abort = new AbortController()
      this.#abort = abort
      const reason = await this.#runTurn(abort.signal)
      this.#abort = null
      this.session.append({ type: 'turn/end', data: { turn: this.#log.turn, reason } })
      this.#deps.saveDraft(null)
      // Only an answered turn leads to the next: after a failure or a stop the rest waits for a person.
      if (reason.kind !== 'completed') this.#parked = true
    }
  }

  async #runTurn(signal: AbortSignal): Promise<TurnEndReason> {
    try {
      if (!this.#log.isTurnOpen) this.#openTurn()
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

  #openTurn(): void {
    this.session.append({ type: 'turn/start', data: { turn: this.#log.turn + 1 } })
    const [first, ...rest] = this.#log.inbox
    if (first === undefined) return
    this.#claim([first, ...rest.filter(({ mode }) => mode === 'steer' || first.mode === 'steer')])
  }

  #claim(messages: readonly EventData<'inbox/queued'>[]): void {
    if (messages.length === 0) return
    this.session.append({
      type: 'inbox/claimed',
      data: { messageIds: messages.map(({ messageId }) => messageId) },
    })
    for (const { messageId: id, source, content } of messages) {
      this.session.append({ type: 'user/message', data: { id, source, content } })
    }
  }

  async #step(signal: AbortSignal): Promise<TurnEndReason | 'again'> {
    const setup = this.#deps.setup()
    const { turn } = this.#log
    const step = this.#log.step + 1
    this.#logHeader(setup)
    this.session.append({ type: 'step/start', data: { turn, step } })
    const end = await this.#request(setup, { turn, step }, signal)
    if (end.kind === 'failed') return this.#fail(end.error, setup.route)
    if (end.kind === 'stopped') return aborted(signal)
    await this.#settle(end.calls, setup, { turn, step }, signal)
    this.session.append({ type: 'step/end', data: { turn, step } })
    if (signal.aborted) return aborted(signal)
    const steered = this.#log.inbox.filter(({ mode }) => mode === 'steer')
    this.#claim(steered)
    if (end.calls.length > 0 || steered.length > 0) return 'again'
    if (end.finish === 'length') return { kind: 'max-tokens' }
    return end.finish === 'blocked' ? { kind: 'blocked' } : { kind: 'completed' }
  }

  #fail(error: unknown, route: ModelRoute): TurnEndReason {
    const { code, message, retryable } = this.#deps.describeError(error, route)
    return { kind: 'error', code, message, retryable }
  }

  /** The request header is logged when it differs from the last one: what the model was told can be rebuilt. */
  #logHeader({ route, system, tools }: AgentSetup): void {
    const data = { route, system, tools: tools.map(({ name }) => name) }
    if (JSON.stringify(data) === this.#log.requestHeader) return
    this.session.append({ type: 'request/header', data })
  }

  /** One answer of the model, tried again while nothing of it had come. Whatever was said is logged. */
  async #request(
    setup: AgentSetup,
    at: { turn: number; step: number },
    signal: AbortSignal,
  ): Promise<StepEnd> {
    const { route, system, tools } = setup
    const model = this.#deps.resolveModel(route)
    for (let attempt = 0; ; attempt += 1) {
      await this.#deps.untilSaved(signal)
      const message = new LiveMessage(this.#deps.newId(), { ...at, model: route }, this.#deps.onPiece)
      const end = await this.#speak(message, () =>
        runStep({ model, system, messages: this.#log.context.messages(), tools, signal, message }),
      )
      this.#logMessage(message, end, route, at)
      const delayMs = RETRY_AFTER_MS[attempt]
      if (end.kind !== 'failed' || !message.isEmpty || delayMs === undefined) return end
      const failure = this.#deps.describeError(end.error, route)
      if (!failure.retryable) return end
      const { code, message: text } = failure
      this.session.append({ type: 'llm/retry', data: { attempt: attempt + 1, delayMs, code, message: text } })
      await pause(delayMs, signal)
      if (signal.aborted) return { kind: 'stopped' }
    }
  }

  async #speak(message: LiveMessage, request: () => Promise<StepEnd>): Promise<StepEnd> {
    this.#live = message
    const drafts = setInterval(() => {
      if (!message.isEmpty) this.#deps.saveDraft(message.draft())
    }, DRAFT_EVERY_MS)
    try {
      return await request()
    } finally {
      clearInterval(drafts)
    }
  }

  #logMessage(
    message: LiveMessage,
    end: StepEnd,
    route: ModelRoute,
    at: { turn: number; step: number },
  ): void {
    const isWhole = end.kind === 'finished'
    const content = isWhole ? message.content() : message.content().filter(({ type }) => type !== 'tool-call')
    const usage = isWhole ? this.#priced(route, end.usage) : null
    if (content.length > 0 || isWhole) {
      this.session.append({
        type: 'assistant/message',
        data: { id: message.id, ...at, content, usage, model: route, ...(!isWhole && { interrupted: true }) },
      })
    }
    this.#live = null
    this.#deps.onMessageEnd(message.id)
  }

  #priced(route: ModelRoute, usage: Usage | null): Usage | null {
    if (usage === null) return null
    const costUsd = this.#deps.cost(route, usage)
    return costUsd === undefined ? usage : { ...usage, costUsd }
  }

  /** The calls of a step that an earlier process left unanswered. */
  async #settleOpenStep(signal: AbortSignal): Promise<void> {
    const open = this.#log.openStep
    if (open === null) return
    await this.#settle(open.calls, this.#deps.setup(), open, signal)
    this.session.append({ type: 'step/end', data: { turn: open.turn, step: open.step } })
  }

  #settle(
    calls: readonly RequestedCall[],
    setup: AgentSetup,
    at: { readonly turn: number; readonly step: number },
    signal: AbortSignal,
  ): Promise<void> {
    return settleToolCalls(calls, {
      turn: at.turn,
      step: at.step,
      tools: setup.tools,
      signal,
      now: this.#deps.now,
      append: event => void this.session.append(event),
      permit: (tool, call, input) => this.#permit(tool, call, input, at, signal),
      barrier: this.#deps.untilSaved,
      execute: (tool, call, input, announced) =>
        this.#execute(tool, call, input, announced, setup.cwd, signal),
    })
  }

  async #permit(
    tool: Tool,
    call: RequestedCall,
    input: unknown,
    at: { readonly turn: number; readonly step: number },
    signal: AbortSignal,
  ): Promise<Permission> {
    const asked = this.#log.questionOf(call.callId)
    const pattern = asked === undefined ? this.#deps.mustAsk(tool, input) : asked.pattern
    if (pattern === null) return 'run'
    const approvalId = asked?.approvalId ?? this.#ask(tool, call, pattern, at)
    const decision = asked?.decision ?? (await this.#decision(approvalId, signal))
    if (decision === null) return 'stopped'
    if (decision.kind === 'allow') return 'run'
    if (decision.kind === 'expired')
      return { denied: 'Nobody answered in time. Ask again if it still matters.' }
    return { denied: decision.reason ? `Declined: ${decision.reason}` : 'The person declined this call.' }
  }

  #ask(tool: Tool, call: RequestedCall, pattern: string, at: { turn: number; step: number }): string {
    const approvalId = this.#deps.newId()
    const { callId, name } = call
    this.session.append({
      type: 'approval/asked',
      data: { ...at, callId, approvalId, name, toolClass: tool.toolClass, input: call.input, pattern },
    })
    return approvalId
  }

  /** `null`: the turn was stopped first. */
  #decision(approvalId: string, signal: AbortSignal): Promise<ApprovalDecision | null> {
    return new Promise(resolve => {
      const stop = () => settle(null)
      const settle = (decision: ApprovalDecision | null) => {
        this.#waiting.delete(approvalId)
        signal.removeEventListener('abort', stop)
        resolve(decision)
      }
      this.#waiting.set(approvalId, settle)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
    })
  }

  async #execute(
    tool: Tool,
    call: RequestedCall,
    input: unknown,
    { childId }: Announced,
    cwd: string,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const sessionId: SessionId = this.session.id
    const context: ToolContext = {
      sessionId,
      callId: call.callId,
      cwd,
      signal,
      ...(childId !== undefined && { childId }),
    }
    const outcome = await tool.execute(input, context)
    if (tool.toolClass === 'state' && outcome.status === 'ok') this.#recordState(tool, input)
    return outcome
  }

  /** A tool that only writes session state: the state is an event of its own. */
  #recordState(tool: Tool, input: unknown): void {
    if (tool.name !== 'todo') return
    const event = { type: 'todo/write', data: input } as NewEvent
    this.session.append(event)
  }
}

function aborted(signal: AbortSignal): TurnEndReason {
  const by: unknown = signal.reason
  return { kind: 'aborted', by: by === 'parent' || by === 'disposed' || by === 'limit' ? by : 'user' }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
