import { hasCode, WorkbenchError } from '#shared/errors.ts'
import { type Content, textContent } from '#shared/session/content.ts'
import type { ApprovalDecision, MessageSource, StoredEvent } from '#shared/session/events.ts'
import type { StopCause } from '#shared/session/outcome.ts'
import type { Session } from '../session/session.ts'
import type { AgentLog } from './agent-log.ts'
import type { LiveMessage } from './live-message.ts'
import { Questions, type QuestionsDeps } from './questions.ts'
import { Turns, type TurnsDeps } from './turns.ts'

export interface AgentDeps extends Omit<TurnsDeps, 'questions'>, QuestionsDeps {
  readonly session: Session
  /** As it has read the whole log so far. */
  readonly log: AgentLog
  /** Everything logged so far is durable. @throws WorkbenchError `NOT_SAVED`. */
  readonly flush: () => Promise<void>
  /** A turn ended and no other follows: the inbox is empty or parked. */
  readonly onIdle: () => void
}

/**
 * One agent at work on its session: turn → step → tool calls. What comes next follows from the log alone, so an
 * agent made from a stored log goes on where that log stops, once somebody speaks to it or answers its question.
 */
export class Agent {
  readonly #deps: AgentDeps
  readonly #log: AgentLog
  readonly #questions: Questions
  readonly #turns: Turns
  #running: Promise<void> | null = null
  #abort: AbortController | null = null
  /** Nobody spoke to it yet, or its last turn was not answered: news of children wait. */
  #parked = true
  #disposed = false

  constructor(deps: AgentDeps) {
    this.#deps = deps
    this.#log = deps.log
    this.#questions = new Questions(deps)
    this.#turns = new Turns({ ...deps, questions: this.#questions })
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
    return this.#turns.liveMessage
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

  /**
   * Takes up what its last turn was cut short in, with the same history and nothing new said.
   * @throws WorkbenchError `BAD_REQUEST` when it is at work, or its last turn was answered.
   */
  retry(): void {
    if (this.isRunning || this.#log.openTurn.isOpen || !this.#log.isCutShort) {
      throw new WorkbenchError('BAD_REQUEST', 'There is nothing to try again.')
    }
    this.session.append({ type: 'turn/start', data: { turn: this.#log.turn + 1 } })
    if (this.#log.context.endsWithModel) {
      const content = textContent('Go on where you stopped.')
      const data = { id: this.#deps.newId(), source: { kind: 'context' as const }, content }
      this.session.append({ type: 'user/message', data })
    }
    this.wake()
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
      const reason = await this.#turns.run(abort.signal)
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
}
