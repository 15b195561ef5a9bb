import { closersOf, isWaitingForApproval } from '#shared/session/closers.ts'
import {
  type ApprovalDecision,
  type EventData,
  type ModelRoute,
  type NewEvent,
  readEvent,
  type StoredEvent,
} from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import type { StopCause } from '#shared/session/outcome.ts'
import { ModelContext } from './model-context.ts'
import type { RequestedCall } from './run-step.ts'

export interface Question {
  readonly approvalId: string
  readonly callId: string
  readonly pattern: string
  readonly decision: ApprovalDecision | null
}

export interface OpenStep {
  readonly turn: number
  readonly step: number
  readonly calls: readonly RequestedCall[]
}

/** What an agent needs to know of its log, folded event by event: what is owed, and what the model is sent. */
export class AgentLog {
  readonly context = new ModelContext()
  readonly #seedLength: number
  /** The events of the open turn; empty between turns. */
  #open: StoredEvent[] = []
  #turn = 0
  #step = 0
  #isTurnOpen = false
  #ownTurns = 0
  #inbox: EventData<'inbox/queued'>[] = []
  #questions = new Map<string, Question>()
  #granted = new Set<string>()
  #requestHeader: string | null = null
  readonly #settled = new Map<SessionId, number>()
  /** Children that calls of the open turn wait for, by call id. */
  readonly #awaited = new Map<string, SessionId>()
  readonly #callIds = new Set<string>()
  #route: ModelRoute | null = null
  #lastText = ''

  constructor(header: SessionHeader, events: readonly StoredEvent[]) {
    this.#seedLength = header.seedLength ?? 0
    for (const event of events) this.apply(event)
  }

  /** The open turn, else the last one; 0 before the first. */
  get turn(): number {
    return this.#turn
  }

  /** The open step, else the last one of the turn. */
  get step(): number {
    return this.#step
  }

  get isTurnOpen(): boolean {
    return this.#isTurnOpen
  }

  get ownTurns(): number {
    return this.#ownTurns
  }

  get inbox(): readonly EventData<'inbox/queued'>[] {
    return this.#inbox
  }

  /** Questions of the open turn, answered ones too, by approval id. */
  get questions(): ReadonlyMap<string, Question> {
    return this.#questions
  }

  /** Patterns that a person allowed for the session. */
  get granted(): ReadonlySet<string> {
    return this.#granted
  }

  /** The last `request/header`, as JSON text. */
  get requestHeader(): string | null {
    return this.#requestHeader
  }

  /** Ids of all calls that were ever made here. */
  get callIds(): ReadonlySet<string> {
    return this.#callIds
  }

  /** The open turn waits for nothing but people's answers: it may stay open on disk and go on at another time. */
  get isWaitingForAnswers(): boolean {
    return this.#isTurnOpen && isWaitingForApproval(this.#open)
  }

  /** Per child, the seq of its last end that was told here, by a result or by a message. */
  get settled(): ReadonlyMap<SessionId, number> {
    return this.#settled
  }

  /** Where requests go as last recorded here. */
  get route(): ModelRoute | null {
    return this.#route
  }

  /** The text of the last own message of the model. */
  get lastText(): string {
    return this.#lastText
  }

  questionOf(callId: string): Question | undefined {
    return [...this.#questions.values()].find(question => question.callId === callId)
  }

  /** The calls that the open turn still owes a result. `null`: its step is over, or had none. */
  get openStep(): OpenStep | null {
    const calls = new Map<string, RequestedCall & { turn: number; step: number }>()
    for (const event of this.#open.map(readEvent)) {
      if (event?.type === 'tool/result') calls.delete(event.data.callId)
      if (event?.type !== 'assistant/message' || event.data.interrupted) continue
      const { turn, step, content } = event.data
      for (const block of content) {
        if (block.type !== 'tool-call') continue
        const { callId, name, input } = block
        calls.set(callId, { callId, name, input: input as Json, turn, step })
      }
    }
    const open = [...calls.values()]
    const [first] = open
    return first === undefined ? null : { turn: first.turn, step: first.step, calls: open }
  }

  /** Ends a turn that no one runs: results for its open calls, then `turn/end`. */
  closers(by: StopCause): NewEvent[] {
    const withoutQuestions = this.#open.filter(({ type }) => type !== 'approval/asked')
    return closersOf(withoutQuestions, null).map(event =>
      event.type === 'turn/end'
        ? { ...event, data: { ...event.data, reason: { kind: 'aborted', by } } }
        : event,
    )
  }

  apply(stored: StoredEvent): void {
    this.context.apply(stored)
    const isOwn = stored.seq >= this.#seedLength
    if (this.#isTurnOpen) this.#open.push(stored)
    const event = readEvent(stored)
    switch (event?.type) {
      case 'turn/start':
        this.#turn = event.data.turn
        this.#step = 0
        this.#isTurnOpen = true
        this.#open = [stored]
        if (isOwn) this.#ownTurns += 1
        break
      case 'turn/end':
        this.#isTurnOpen = false
        this.#open = []
        this.#questions.clear()
        this.#awaited.clear()
        break
      case 'step/start':
        this.#step = event.data.step
        break
      case 'assistant/message':
        this.#noteCalls(event.data)
        if (isOwn) this.#lastText = lastTextOf(event.data) || this.#lastText
        break
      case 'request/header':
        this.#requestHeader = JSON.stringify(event.data)
        if (isOwn) this.#route = event.data.route
        break
      case 'model/changed':
        if (isOwn) this.#route = event.data.route
        break
      default:
        if (isOwn && event !== null) this.#applyOwn(event)
    }
  }

  #told(childId: SessionId, childSeq: number): void {
    this.#settled.set(childId, Math.max(childSeq, this.#settled.get(childId) ?? -1))
  }

  #noteCalls({ content }: EventData<'assistant/message'>): void {
    for (const block of content) if (block.type === 'tool-call') this.#callIds.add(block.callId)
  }

  #applyOwn(event: NewEvent): void {
    switch (event.type) {
      case 'inbox/queued':
        this.#inbox = [...this.#inbox, event.data]
        break
      case 'inbox/claimed':
      case 'inbox/cancelled':
        this.#inbox = this.#inbox.filter(({ messageId }) => !event.data.messageIds.includes(messageId))
        break
      case 'subagent/settled':
        this.#told(event.data.childId, event.data.childSeq)
        break
      case 'tool/call':
        if (event.data.childId !== undefined) this.#awaited.set(event.data.callId, event.data.childId)
        break
      case 'tool/result': {
        const childId = this.#awaited.get(event.data.callId)
        if (childId !== undefined) this.#told(childId, event.data.childSeq ?? -1)
        break
      }
      case 'approval/asked': {
        const { approvalId, callId, pattern } = event.data
        this.#questions.set(approvalId, { approvalId, callId, pattern, decision: null })
        break
      }
      case 'approval/decided': {
        const { approvalId, decision } = event.data
        const question = this.#questions.get(approvalId)
        if (question === undefined) break
        this.#questions.set(approvalId, { ...question, decision })
        if (decision.kind === 'allow' && decision.scope === 'session') this.#granted.add(question.pattern)
        break
      }
      default:
    }
  }
}

function lastTextOf({ content }: EventData<'assistant/message'>): string {
  return content
    .flatMap(block => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim()
}
