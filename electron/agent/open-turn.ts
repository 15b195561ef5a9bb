import { closersOf, isWaitingForApproval } from '#shared/session/closers.ts'
import {
  type ApprovalDecision,
  type NewEvent,
  readEvent,
  type SessionEvent,
  type StoredEvent,
} from '#shared/session/events.ts'
import type { Json } from '#shared/session/json.ts'
import type { StopCause } from '#shared/session/outcome.ts'
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

/** What the open turn of a log owes; nothing between turns. */
export class OpenTurn {
  #events: StoredEvent[] = []
  #isOpen = false
  #step = 0
  readonly #questions = new Map<string, Question>()

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The open step, else the last one of the turn; 0 before the first. */
  get step(): number {
    return this.#step
  }

  /** Answered ones too, by approval id. */
  get questions(): ReadonlyMap<string, Question> {
    return this.#questions
  }

  questionOf(callId: string): Question | undefined {
    return [...this.#questions.values()].find(question => question.callId === callId)
  }

  /** It waits for nothing but people's answers: it may stay open on disk and go on at another time. */
  get isWaitingForAnswers(): boolean {
    return isWaitingForApproval(this.#events)
  }

  /** The calls that still lack a result. `null`: its step is over, or had none. */
  get openStep(): OpenStep | null {
    const calls = new Map<string, RequestedCall & { turn: number; step: number }>()
    for (const event of this.#events.map(readEvent)) {
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
    const withoutQuestions = this.#events.filter(({ type }) => type !== 'approval/asked')
    return closersOf(withoutQuestions, null).map(event =>
      event.type === 'turn/end'
        ? { ...event, data: { ...event.data, reason: { kind: 'aborted', by } } }
        : event,
    )
  }

  /** @param event the same, checked; `null` for one that is not understood. */
  apply(stored: StoredEvent, event: SessionEvent | null): void {
    if (this.#isOpen) this.#events.push(stored)
    switch (event?.type) {
      case 'turn/start':
        this.#isOpen = true
        this.#events = [stored]
        this.#step = 0
        break
      case 'turn/end':
        this.#isOpen = false
        this.#events = []
        this.#questions.clear()
        break
      case 'step/start':
        this.#step = event.data.step
        break
      case 'approval/asked': {
        const { approvalId, callId, pattern } = event.data
        this.#questions.set(approvalId, { approvalId, callId, pattern, decision: null })
        break
      }
      case 'approval/decided': {
        const { approvalId, decision } = event.data
        const question = this.#questions.get(approvalId)
        if (question !== undefined) this.#questions.set(approvalId, { ...question, decision })
        break
      }
      default:
    }
  }
}
