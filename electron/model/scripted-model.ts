import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { type Answer, type AnswerPart, type Delivery, streamAnswer } from './answer.ts'
import { collectAnswer } from './collect-answer.ts'
import { lastUserText, systemText } from './prompt-text.ts'

/** What the model was asked, kept for assertions. */
export interface ScriptedRequest {
  /** Counts from 0 over the life of the model. */
  readonly index: number
  readonly prompt: LanguageModelV4Prompt
  readonly system: string
  readonly lastUserText: string
  /** Names of the tools offered. */
  readonly tools: readonly string[]
  readonly options: LanguageModelV4CallOptions
}

/** One answer, in short: fields are spoken in the order in which they stand here. */
export interface ScriptedStep {
  /** Before anything is said, ms. */
  readonly delayMs?: number
  /** The request itself is refused: `doStream` rejects with this. */
  readonly reject?: unknown
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly {
    readonly name: string
    readonly input: unknown
    readonly callId?: string
  }[]
  /** Everything else, in any order. */
  readonly parts?: readonly AnswerPart[]
  /** After all of the above: say nothing more until aborted. */
  readonly stall?: boolean
  /** After all of the above: the stream breaks. */
  readonly fail?: unknown
  readonly usage?: Answer['usage']
  readonly finishReason?: Answer['finishReason']
}

/** A step, its text alone, or a function of the request. */
export type ScriptedAnswer =
  | ScriptedStep
  | string
  | ((request: ScriptedRequest) => ScriptedStep | string | Promise<ScriptedStep | string>)

export interface ScriptedModel extends LanguageModelV4 {
  /** In the order in which they came. */
  readonly requests: readonly ScriptedRequest[]
  /** Appends steps to those not yet played. */
  add(...steps: readonly ScriptedAnswer[]): void
}

/**
 * A model for tests. A list of steps is played one per request, whoever asks, and a request beyond its end
 * rejects with a sentence that says so; a single function answers every request.
 */
export function createScriptedModel(
  script: readonly ScriptedAnswer[] | ((request: ScriptedRequest) => ScriptedStep | string),
  delivery: Partial<Delivery> = {},
): ScriptedModel {
  const queue: ScriptedAnswer[] = typeof script === 'function' ? [] : [...script]
  const requests: ScriptedRequest[] = []
  let calls = 0
  const settings: Delivery = {
    paceMs: 0,
    pieces: 'token',
    newId: () => `call-${++calls}`,
    ...delivery,
  }

  async function answerTo(options: LanguageModelV4CallOptions): Promise<Answer> {
    const request: ScriptedRequest = {
      index: requests.length,
      prompt: options.prompt,
      system: systemText(options.prompt),
      lastUserText: lastUserText(options.prompt),
      tools: (options.tools ?? []).map(tool => tool.name),
      options,
    }
    requests.push(request)
    const next = typeof script === 'function' ? script : queue.shift()
    if (next === undefined) throw new Error(`the script has no step for request ${request.index + 1}`)
    const step = typeof next === 'function' ? await next(request) : next
    if (typeof step === 'string') return { parts: [{ type: 'text', text: step }] }
    if ('reject' in step) throw step.reject
    return toAnswer(step)
  }

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    requests,
    add: (...steps) => void queue.push(...steps),
    doStream: async options => ({ stream: streamAnswer(await answerTo(options), options, settings) }),
    doGenerate: async options => collectAnswer(streamAnswer(await answerTo(options), options, settings)),
  }
}

function toAnswer(step: ScriptedStep): Answer {
  const parts: AnswerPart[] = []
  if (step.delayMs !== undefined) parts.push({ type: 'wait', ms: step.delayMs })
  if (step.reasoning !== undefined) parts.push({ type: 'reasoning', text: step.reasoning })
  if (step.text !== undefined) parts.push({ type: 'text', text: step.text })
  for (const call of step.calls ?? []) parts.push({ type: 'tool-call', ...call })
  parts.push(...(step.parts ?? []))
  if (step.stall === true) parts.push({ type: 'stall' })
  if ('fail' in step) parts.push({ type: 'fail', error: step.fail, how: 'throw' })
  return {
    parts,
    ...(step.usage === undefined ? {} : { usage: step.usage }),
    ...(step.finishReason === undefined ? {} : { finishReason: step.finishReason }),
  }
}
