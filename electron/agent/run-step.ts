import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelMessage } from 'ai'
import { jsonSchema, streamText, type ToolSet, zodSchema } from 'ai'
import type { Usage } from '#shared/session/events.ts'
import type { Json } from '#shared/session/json.ts'
import type { Tool } from '../tool/tool.ts'
import type { LiveMessage } from './live-message.ts'

export interface StepRequest {
  readonly model: LanguageModelV4
  readonly system: string
  readonly messages: ModelMessage[]
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  /** Filled while the model speaks. */
  readonly message: LiveMessage
  /** The id under which a call is known here, for the one that the model proposes. */
  readonly toCallId: (proposed: string) => string
}

/** A call as the model made it. `problem`: it cannot be run, and the model is told why. */
export interface RequestedCall {
  readonly callId: string
  readonly name: string
  readonly input: Json
  readonly problem?: string
}

/** How a model request ended. `message` holds what was said in any case. Never throws. */
export type StepEnd =
  | {
      readonly kind: 'finished'
      readonly calls: readonly RequestedCall[]
      readonly usage: Usage | null
      readonly finish: 'stop' | 'length' | 'blocked'
    }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** One model request. The SDK neither retries nor runs tools: both are the loop's. */
export async function runStep(request: StepRequest): Promise<StepEnd> {
  const { model, system, messages, tools, signal, message, toCallId } = request
  const calls: RequestedCall[] = []
  let usage: Usage | null = null
  let finish: 'stop' | 'length' | 'blocked' = 'stop'
  try {
    const result = streamText({
      model,
      instructions: system,
      messages,
      tools: toToolSet(tools),
      maxRetries: 0,
      abortSignal: signal,
      // Errors come as parts of the stream; without this they would be printed too.
      onError: () => {},
    })
    for await (const part of result.stream) {
      switch (part.type) {
        case 'text-delta':
          message.add('text', part.text)
          break
        case 'reasoning-delta':
          message.add('reasoning', part.text)
          break
        case 'text-end':
          message.annotate('text', part.providerMetadata)
          break
        case 'reasoning-end':
          message.annotate('reasoning', part.providerMetadata)
          break
        case 'tool-call': {
          const call = toCall(part, toCallId(part.toolCallId))
          message.addCall(call.callId, call.name, call.input, part.providerMetadata)
          calls.push(call)
          break
        }
        case 'finish-step':
          usage = toUsage(part.usage)
          finish = toFinish(part.finishReason)
          break
        case 'error':
          return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error: part.error }
        case 'abort':
          return { kind: 'stopped' }
        default:
      }
    }
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error }
  }
  return signal.aborted ? { kind: 'stopped' } : { kind: 'finished', calls, usage, finish }
}

function toToolSet(tools: readonly Tool[]): ToolSet {
  const set: ToolSet = {}
  for (const { name, description, inputSchema } of tools) {
    set[name] = { description, inputSchema: looseSchema(inputSchema) }
  }
  return set
}

/** The model sees the schema; its input is checked by us, so that a bad one becomes a result it can read. */
function looseSchema(schema: Tool['inputSchema']): ReturnType<typeof jsonSchema> {
  return jsonSchema(zodSchema(schema).jsonSchema)
}

interface CallPart {
  readonly toolName: string
  readonly input: unknown
  readonly invalid?: boolean | undefined
}

function toCall({ toolName, input, invalid }: CallPart, callId: string): RequestedCall {
  const call = { callId, name: toolName, input: toJson(input) }
  if (invalid !== true) return call
  return { ...call, problem: `There is no tool ${toolName}, or its input is not valid JSON.` }
}

function toJson(value: unknown): Json {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as Json)
}

interface ReportedUsage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly inputTokenDetails?:
    | { readonly cacheReadTokens?: number | undefined; readonly cacheWriteTokens?: number | undefined }
    | undefined
  readonly outputTokenDetails?: { readonly reasoningTokens?: number | undefined } | undefined
}

/** `input` leaves out what came from or went to a cache; `null` when the provider reported nothing. */
function toUsage({ inputTokens, outputTokens, ...details }: ReportedUsage): Usage | null {
  if (inputTokens === undefined && outputTokens === undefined) return null
  const cacheRead = amount(details.inputTokenDetails?.cacheReadTokens)
  const cacheWrite = amount(details.inputTokenDetails?.cacheWriteTokens)
  const reasoning = amount(details.outputTokenDetails?.reasoningTokens)
  return {
    input: Math.max(0, amount(inputTokens) - cacheRead - cacheWrite),
    output: amount(outputTokens),
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(reasoning > 0 && { reasoning }),
  }
}

/** Numbers come from other programs: what is none of a log's counts as nothing. */
function amount(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0
}

function toFinish(reason: string): 'stop' | 'length' | 'blocked' {
  if (reason === 'length') return 'length'
  return reason === 'content-filter' ? 'blocked' : 'stop'
}
