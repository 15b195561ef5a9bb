import { setTimeout as sleep } from 'node:timers/promises'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

/** One thing a hand-written model does, in the order given. */
export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** `input` as a string is sent as it is, so that it may be broken JSON. */
  | { readonly type: 'tool-call'; readonly name: string; readonly input: unknown; readonly callId?: string }
  | { readonly type: 'wait'; readonly ms: number }
  /** Says nothing more until the call is aborted. */
  | { readonly type: 'stall' }
  /** `part`: a stream part says so and the stream ends; `throw`: the stream itself breaks. */
  | { readonly type: 'fail'; readonly error: unknown; readonly how?: 'part' | 'throw' }

export interface Answer {
  readonly parts: readonly AnswerPart[]
  /** Estimated from the text when absent. `null`: none reported. */
  readonly usage?: { readonly input: number; readonly output: number } | null
  readonly finishReason?: LanguageModelV4FinishReason['unified']
}

export interface Delivery {
  /** Pause before each piece, ms. 0: as fast as it is read. */
  readonly paceMs: number
  /** `token`: a few characters, whole characters only. `unit`: UTF-16 units, which cuts emoji in two. */
  readonly pieces: 'token' | 'unit'
  readonly newId: () => string
}

/** About four characters a token: what hand-written models report as usage. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

/**
 * Speaks `answer` as a provider would. Errors with the signal's reason as soon as the call is aborted, between
 * any two pieces; cancelling the stream ends it as well.
 */
export function streamAnswer(
  answer: Answer,
  options: LanguageModelV4CallOptions,
  delivery: Delivery,
): ReadableStream<LanguageModelV4StreamPart> {
  const cancelled = new AbortController()
  const signal =
    options.abortSignal === undefined
      ? cancelled.signal
      : AbortSignal.any([options.abortSignal, cancelled.signal])
  const parts = speak(answer, options.prompt, delivery, signal)
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      try {
        const next = await parts.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      } catch (error) {
        controller.error(signal.aborted ? signal.reason : error)
      }
    },
    cancel: reason => cancelled.abort(reason),
  })
}

async function* speak(
  answer: Answer,
  prompt: LanguageModelV4Prompt,
  delivery: Delivery,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  signal.throwIfAborted()
  yield { type: 'stream-start', warnings: [] }
  for (const [index, part] of answer.parts.entries()) {
    signal.throwIfAborted()
    switch (part.type) {
      case 'wait':
        await sleep(part.ms, undefined, { signal })
        break
      case 'stall':
        await untilAborted(signal)
        break
      case 'fail':
        if (part.how === 'throw') throw part.error
        yield { type: 'error', error: part.error }
        return
      case 'tool-call':
        yield* speakCall(part, delivery.newId())
        break
      case 'text':
      case 'reasoning':
        yield* speakText(part.type, part.text, `${part.type}-${index}`, delivery, signal)
        break
    }
  }
  const called = answer.parts.some(part => part.type === 'tool-call')
  const unified = answer.finishReason ?? (called ? 'tool-calls' : 'stop')
  yield { type: 'finish', usage: usageOf(answer, prompt), finishReason: { unified, raw: unified } }
}

async function* speakText(
  type: 'text' | 'reasoning',
  text: string,
  id: string,
  delivery: Delivery,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: `${type}-start`, id }
  for (const delta of piecesOf(text, delivery.pieces)) {
    if (delivery.paceMs > 0) await sleep(delivery.paceMs, undefined, { signal })
    signal.throwIfAborted()
    yield { type: `${type}-delta`, id, delta }
  }
  yield { type: `${type}-end`, id }
}

function* speakCall(
  call: AnswerPart & { type: 'tool-call' },
  freshId: string,
): Generator<LanguageModelV4StreamPart> {
  const id = call.callId ?? freshId
  const input = typeof call.input === 'string' ? call.input : JSON.stringify(call.input)
  yield { type: 'tool-input-start', id, toolName: call.name }
  yield { type: 'tool-input-delta', id, delta: input }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName: call.name, input }
}

function piecesOf(text: string, size: Delivery['pieces']): readonly string[] {
  return size === 'unit' ? text.split('') : (text.match(/\s*[^\s]{1,7}|\s+/gu) ?? [])
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function usageOf(answer: Answer, prompt: LanguageModelV4Prompt): LanguageModelV4Usage {
  if (answer.usage === null) return usage(undefined, undefined, undefined)
  if (answer.usage !== undefined) return usage(answer.usage.input, answer.usage.output, 0)
  const reasoning = sum(answer.parts.map(part => (part.type === 'reasoning' ? estimateTokens(part.text) : 0)))
  const said = sum(answer.parts.map(saidTokens))
  return usage(estimateTokens(JSON.stringify(prompt)), said + reasoning, reasoning)
}

function saidTokens(part: AnswerPart): number {
  if (part.type === 'text') return estimateTokens(part.text)
  return part.type === 'tool-call' ? estimateTokens(part.name + JSON.stringify(part.input)) : 0
}

function usage(
  input: number | undefined,
  output: number | undefined,
  reasoning: number | undefined,
): LanguageModelV4Usage {
  const text = output === undefined ? undefined : output - (reasoning ?? 0)
  return {
    inputTokens: {
      total: input,
      noCache: input,
      cacheRead: input === undefined ? undefined : 0,
      cacheWrite: input === undefined ? undefined : 0,
    },
    outputTokens: { total: output, text, reasoning },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
