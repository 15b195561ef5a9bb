import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { WorkbenchError } from '#shared/errors.ts'
import { type Answer, type AnswerPart, streamAnswer } from '../answer.ts'
import { collectAnswer } from '../collect-answer.ts'
import { type NextStep, nextStep } from './next-step.ts'
import { readScripts, type Script } from './script.ts'

export interface RehearsalOptions {
  /** Read from the resources when absent, at the first request. */
  readonly scripts?: readonly Script[]
  /** Pause before each piece of text, ms; pauses of the script keep their proportion. */
  readonly paceMs?: number
  readonly newId?: () => string
}

const USUAL_PACE_MS = 18

/**
 * A model that plays scripts: no network, no key, real tool calls. It keeps nothing between requests; see `nextStep`.
 * A bad script fails the request with `MODEL_FAILED` and its reason.
 */
export function createRehearsalModel(options: RehearsalOptions = {}): LanguageModelV4 {
  const { paceMs = USUAL_PACE_MS, newId = randomUUID } = options
  let loaded = options.scripts
  const scripts = () => (loaded ??= readScripts(scriptsFolder()))

  async function stream(request: LanguageModelV4CallOptions) {
    const tools = new Set((request.tools ?? []).map(tool => tool.name))
    const next = nextStep(scripts(), request.prompt, tools)
    const { fail } = next.step
    if (fail !== undefined && next.step.text === undefined) throw toFailure(fail)
    const answer = toAnswer(next, tools, paceMs / USUAL_PACE_MS)
    return streamAnswer(answer, request, { paceMs, pieces: 'token', newId })
  }

  return {
    specificationVersion: 'v4',
    provider: 'rehearsal',
    modelId: 'rehearsal',
    supportedUrls: {},
    doStream: async request => ({ stream: await stream(request) }),
    doGenerate: async request => collectAnswer(await stream(request)),
  }
}

function toAnswer({ step, facts }: NextStep, tools: ReadonlySet<string>, tempo: number): Answer {
  const parts: AnswerPart[] = []
  const fill = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => facts.texts[name] ?? '')
  if (step.waitMs !== undefined && tempo > 0) parts.push({ type: 'wait', ms: step.waitMs * tempo })
  if (step.reasoning !== undefined) parts.push({ type: 'reasoning', text: fill(step.reasoning) })
  if (step.text !== undefined) parts.push({ type: 'text', text: fill(step.text) })
  for (const { tool, input } of step.calls ?? []) {
    if (tools.has(tool)) parts.push({ type: 'tool-call', name: tool, input: fillAll(input, fill) })
  }
  if (step.stall === true) parts.push({ type: 'stall' })
  if (step.fail !== undefined) parts.push({ type: 'fail', error: toFailure(step.fail) })
  return { parts }
}

function fillAll(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map(item => fillAll(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]))
}

function toFailure({ status, message }: { readonly status: number; readonly message: string }): APICallError {
  return new APICallError({
    message,
    url: 'rehearsal:tour',
    requestBodyValues: {},
    statusCode: status,
    responseBody: JSON.stringify({ error: { message } }),
    isRetryable: status === 429 || status >= 500,
  })
}

/** `resources/rehearsal` beside the sources or the build, whichever this runs from. */
function scriptsFolder(): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const folder = join(at, 'resources', 'rehearsal')
    if (existsSync(folder)) return folder
    if (dirname(at) === at) break
  }
  throw new WorkbenchError(
    'MODEL_FAILED',
    'The rehearsal scripts are missing from this installation. Install it again.',
  )
}
