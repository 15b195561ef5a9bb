import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Draft } from '#shared/session/closers.ts'
import type { ModelRoute, Usage } from '#shared/session/events.ts'
import type { Session } from '../session/session.ts'
import type { AgentLog } from './agent-log.ts'
import type { AgentSetup } from './agent-setup.ts'
import { estimateUsage } from './estimate-usage.ts'
import { LiveMessage, type TextPiece } from './live-message.ts'
import { runStep, type StepEnd } from './run-step.ts'

export interface ModelFailure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

export interface ModelRequestsDeps {
  readonly session: Session
  readonly log: AgentLog
  readonly cost: (route: ModelRoute, usage: Usage) => number | undefined
  /** Resolves when everything logged is durable, however long saving fails. Rejects only when aborted. */
  readonly untilSaved: (signal: AbortSignal) => Promise<void>
  readonly saveDraft: (draft: Draft | null) => void
  readonly onPiece: (piece: TextPiece) => void
  readonly onMessageEnd: (messageId: string) => void
  readonly describeError: (error: unknown, route: ModelRoute) => ModelFailure
  readonly newId: () => string
}

interface AskedAt {
  readonly turn: number
  readonly step: number
}

interface Asked {
  readonly route: ModelRoute
  readonly sent: readonly unknown[]
}

const DRAFT_EVERY_MS = 1000
/** Waits before a request is tried again, when nothing of its answer had come yet. */
const RETRY_AFTER_MS = [1000, 4000]

/** Asks the model, and logs what it says: whole, or as far as it came. */
export class ModelRequests {
  readonly #deps: ModelRequestsDeps
  #live: LiveMessage | null = null

  constructor(deps: ModelRequestsDeps) {
    this.#deps = deps
  }

  /** What the model is saying now. */
  get liveMessage(): LiveMessage | null {
    return this.#live
  }

  /** One answer of the model, tried again while nothing of it had come. */
  async answer(
    model: LanguageModelV4,
    setup: AgentSetup,
    at: AskedAt,
    signal: AbortSignal,
  ): Promise<StepEnd> {
    const { untilSaved, describeError, session } = this.#deps
    for (let attempt = 0; ; attempt += 1) {
      await untilSaved(signal)
      // Stopped meanwhile, or the log went to another writer: it may lack what would be asked.
      if (signal.aborted) return { kind: 'stopped' }
      const message = new LiveMessage(this.#deps.newId(), { ...at, model: setup.route }, this.#deps.onPiece)
      const end = await this.#speak(message, model, setup, at, signal)
      const delayMs = RETRY_AFTER_MS[attempt]
      if (end.kind !== 'failed' || !message.isEmpty || delayMs === undefined) return end
      const { code, message: text, retryable } = describeError(end.error, setup.route)
      if (!retryable) return end
      session.append({ type: 'llm/retry', data: { attempt: attempt + 1, delayMs, code, message: text } })
      await pause(delayMs, signal)
      if (signal.aborted) return { kind: 'stopped' }
    }
  }

  async #speak(
    message: LiveMessage,
    model: LanguageModelV4,
    { route, system, tools }: AgentSetup,
    at: AskedAt,
    signal: AbortSignal,
  ): Promise<StepEnd> {
    const messages = this.#deps.log.context.messages()
    const drafts = setInterval(() => {
      if (!message.isEmpty) this.#deps.saveDraft(message.draft())
    }, DRAFT_EVERY_MS)
    this.#live = message
    try {
      const toCallId = this.#callIds()
      const end = await runStep({ model, system, messages, tools, signal, message, toCallId })
      this.#log(message, end, { route, sent: [system, ...messages] }, at)
      return end
    } finally {
      clearInterval(drafts)
      this.#live = null
      this.#deps.onMessageEnd(message.id)
    }
  }

  /**
   * Ids of calls are chosen by models, and some number them anew in each answer. What was decided about one call
   * must never count for another: an id that was used before is replaced.
   */
  #callIds(): (proposed: string) => string {
    const met = new Set<string>()
    return proposed => {
      const isUsable = proposed !== '' && proposed.length <= MAX_CALL_ID
      const isFree = !met.has(proposed) && !this.#deps.log.callIds.has(proposed)
      const callId = isUsable && isFree ? proposed : this.#deps.newId()
      met.add(callId)
      return callId
    }
  }

  /** A request that was stopped is logged although nothing came of it: it is paid for. One that failed at once is not. */
  #log(message: LiveMessage, end: StepEnd, { route, sent }: Asked, at: AskedAt): void {
    const isWhole = end.kind === 'finished'
    const content = isWhole ? message.content() : message.content().filter(({ type }) => type !== 'tool-call')
    if (end.kind === 'failed' && message.isEmpty) return
    const usage = this.#priced(route, isWhole ? end.usage : estimateUsage(sent, message.content()))
    this.#deps.session.append({
      type: 'assistant/message',
      data: { id: message.id, ...at, content, usage, model: route, ...(!isWhole && { interrupted: true }) },
    })
  }

  #priced(route: ModelRoute, usage: Usage | null): Usage | null {
    if (usage === null) return null
    const costUsd = this.#deps.cost(route, usage)
    return costUsd === undefined ? usage : { ...usage, costUsd }
  }
}

/** As long as an event takes one. */
const MAX_CALL_ID = 256

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) done()
  })
}
