import type { LanguageModelV4 } from '@ai-sdk/provider'
import { hasCode, messageOf, WorkbenchError } from '#shared/errors.ts'
import { type Content, textContent } from '#shared/session/content.ts'
import type {
  ApprovalDecision,
  EventData,
  MessageSource,
  ModelRoute,
  NewEvent,
  StoredEvent,
} from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { StopCause, TurnEndReason } from '#shared/session/outcome.ts'
import type { Session } from '../session/session.ts'
import type { Tool, ToolContext, ToolOutcome } from '../tool/tool.ts'
import type { ToolOutput } from '../tool/tool-output.ts'
import type { AgentLog } from './agent-log.ts'
import type { AgentSetup } from './agent-setup.ts'
import type { LiveMessage } from './live-message.ts'
import { ModelRequests, type ModelRequestsDeps } from './model-request.ts'
import { endedInTime } from './patience.ts'
import { Questions, type QuestionsDeps } from './questions.ts'
import type { RequestedCall } from './run-step.ts'
import { type Announced, settleToolCalls } from './settle-tool-calls.ts'

export interface AgentDeps extends ModelRequestsDeps, QuestionsDeps {
  readonly session: Session
  /** As it has read the whole log so far. */
  readonly log: AgentLog
  readonly setup: () => AgentSetup
  /** @throws WorkbenchError `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`. */
  readonly resolveModel: (route: ModelRoute) => LanguageModelV4
  /** A limit that the next model request would break, in words, else `null`. */
  readonly limitReached: () => string | null
  /** Everything logged so far is durable. @throws WorkbenchError `NOT_SAVED`. */
  readonly flush: () => Promise<void>
  /** Where a call puts what may be large. */
  readonly outputOf: (sessionId: SessionId, callId: string) => ToolOutput
  /** A turn ended and no other follows: the inbox is empty or parked. */
  readonly onIdle: () => void
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

/**
 * One agent at work on its session: turn → step → tool calls. What comes next follows from the log alone, so an
 * agent made from a stored log goes on where that log stops, once somebody speaks to it or answers its question.
 */
export class Agent {
  readonly #deps: AgentDeps
  readonly #log: AgentLog
  readonly #questions: Questions
  readonly #requests: ModelRequests
  #running: Promise<void> | null = null
  #abort: AbortController | null = null
  /** Nobody spoke to it yet, or its last turn was not answered: news of children wait. */
  #parked = true
  #disposed = false

  constructor(deps: AgentDeps) {
    this.#deps = deps
    this.#log = deps.log
    this.#questions = new Questions(deps)
    this.#requests = new ModelRequests(deps)
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
    return this.#requests.liveMessage
  }

  /** To be told of every event of the session, in order, also of its own. */
  observe(event: StoredEvent): void {
    this.#log.apply(event)
  }

  /**
   * Accepts a message: logged before it returns, read by a turn later. `queue`: the next turn of its own;
   * `steer`: the next step of the running turn. A parked agent is woken by whoever speaks to it, and then reads
   * what was parked as well; news of its children do not wake it.
   */
  deliver(content: Content, source: MessageSource, mode: 'queue' | 'steer'): string {
    const messageId = this.#deps.newId()
    this.session.append({ type: 'inbox/queued', data: { messageId, mode, source, content } })
    const isNews = source.kind === 'settlement' || source.kind === 'report'
    if (!isNews || !this.#parked) this.wake()
    return messageId
  }

  /** Goes on with what the log owes: an open turn, or messages in the inbox. */
  wake(): void {
    this.#parked = false
    if (this.#running !== null || this.#disposed) return
    if (!this.#log.openTurn.isOpen && this.#log.inbox.length === 0) return
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
    this.#questions.decide(approvalId, decision, by)
    this.wake()
  }

  /** Stops the current turn and keeps the inbox. A turn that only waits on disk for an answer is ended too. */
  interrupt(by: StopCause): void {
    this.#parked = true
    this.#abort?.abort(by)
    if (this.#running !== null || !this.#log.openTurn.isOpen) return
    for (const event of this.#log.openTurn.closers(by)) this.session.append(event)
    this.#deps.onIdle()
  }

  /** Resolves when the current turn, if any, has ended and is logged. */
  async settled(): Promise<void> {
    await this.#running
  }

  /**
   * Stops for good. Resolves when the work has stopped. A turn that waits for nothing but answers is left open:
   * its questions outlive this process, just as they outlive its sudden end.
   */
  async dispose(): Promise<void> {
    this.#disposed = true
    if (this.#log.openTurn.isWaitingForAnswers) return
    this.#abort?.abort('disposed')
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#parked && !this.#disposed && (this.#log.openTurn.isOpen || this.#log.inbox.length > 0)) {
      const abort = new AbortController()
      this.#abort = abort
      const reason = await this.#runTurn(abort.signal)
      this.#abort = null
      this.session.append({ type: 'turn/end', data: { turn: this.#log.turn, reason } })
      // Only an answered turn leads to the next: after a failure or a stop the rest waits for a person.
      if (reason.kind !== 'completed') this.#parked = true
      await this.#saveTurn()
    }
  }

  /** A turn that cannot be saved has ended all the same: its events are kept and tried again. */
  async #saveTurn(): Promise<void> {
    try {
      await this.#deps.flush()
      this.#deps.saveDraft(null)
    } catch (error) {
      if (!hasCode(error, 'NOT_SAVED')) this.#deps.onError(error)
    }
  }

  async #runTurn(signal: AbortSignal): Promise<TurnEndReason> {
    try {
      if (!this.#log.openTurn.isOpen) this.#openTurn()
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
    this.session.append({ type: 'turn/start', data: { turn: this.#log.turn + 1 } })
    const { inbox } = this.#log
    const own = inbox.find(({ mode }) => mode === 'queue')
    this.#claim(inbox.filter(message => message === own || message.mode === 'steer'))
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
    const model = this.#deps.resolveModel(setup.route)
    const at = { turn: this.#log.turn, step: this.#log.openTurn.step + 1 }
    this.#logHeader(setup)
    this.session.append({ type: 'step/start', data: at })
    const end = await this.#requests.answer(model, setup, at, signal)
    if (end.kind === 'finished') await this.#settle(end.calls, setup, at, signal)
    this.session.append({ type: 'step/end', data: at })
    if (end.kind === 'failed') {
      const { code, message, retryable } = this.#deps.describeError(end.error, setup.route)
      return { kind: 'error', code, message, retryable }
    }
    if (end.kind === 'stopped' || signal.aborted) return aborted(signal)
    const steered = this.#log.inbox.filter(({ mode }) => mode === 'steer')
    this.#claim(steered)
    if (end.calls.length > 0 || steered.length > 0) return 'again'
    if (end.finish === 'length') return { kind: 'max-tokens' }
    return end.finish === 'blocked' ? { kind: 'blocked' } : { kind: 'completed' }
  }

  /** The request header is logged when it differs from the last one: what the model was told can be rebuilt. */
  #logHeader({ route, system, tools }: AgentSetup): void {
    const data = { route, system, tools: tools.map(({ name }) => name) }
    if (JSON.stringify(data) === this.#log.requestHeader) return
    this.session.append({ type: 'request/header', data })
  }

  /** The calls of a step that an earlier process left unanswered. */
  async #settleOpenStep(signal: AbortSignal): Promise<void> {
    const open = this.#log.openTurn.openStep
    if (open === null) return
    const at = { turn: open.turn, step: open.step }
    await this.#settle(open.calls, this.#deps.setup(), at, signal)
    this.session.append({ type: 'step/end', data: at })
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
      append: event => void this.session.append(event),
      permit: (tool, call, input) => this.#questions.permit(tool, call, input, at, signal),
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
    const sessionId = this.session.id
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
    this.session.append(event)
  }
}

function aborted(signal: AbortSignal): TurnEndReason {
  const by: unknown = signal.reason
  return { kind: 'aborted', by: by === 'parent' || by === 'disposed' || by === 'limit' ? by : 'user' }
}
