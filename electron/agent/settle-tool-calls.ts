import { hasCode, messageOf } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import type { EventData, NewEvent } from '#shared/session/events.ts'
import { parseInput, type Tool, type ToolOutcome } from '../tool/tool.ts'
import type { RequestedCall } from './run-step.ts'

const CONCURRENT = 8

type ResultData = EventData<'tool/result'>

/** What became of the question whether a call may run. */
export type Permission = 'run' | 'stopped' | { readonly denied: string }

export interface CallEnvironment {
  readonly turn: number
  readonly step: number
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  readonly now: () => number
  readonly append: (event: NewEvent) => void
  /** Waits for a person where the call needs one. */
  readonly permit: (tool: Tool, call: RequestedCall, input: unknown) => Promise<Permission>
  /** Everything logged so far is durable. Awaited right before a body runs. */
  readonly barrier: (signal: AbortSignal) => Promise<void>
  readonly execute: (
    tool: Tool,
    call: RequestedCall,
    input: unknown,
    announced: Announced,
  ) => Promise<ToolOutcome>
}

export type Announced = Pick<EventData<'tool/call'>, 'childId' | 'background'>

/**
 * Runs the calls of one step and logs a result for each, in the order in which the model asked. Reading and
 * delegating overlap; anything that changes something runs alone, in its turn. Never throws: whatever happens to
 * a call is a result that the model reads.
 */
export async function settleToolCalls(calls: readonly RequestedCall[], env: CallEnvironment): Promise<void> {
  const results: (ResultData | undefined)[] = calls.map(() => undefined)
  let logged = 0
  const settle = async (call: RequestedCall, index: number) => {
    results[index] = await settleCall(call, env)
    for (let next = results[logged]; next !== undefined; next = results[logged]) {
      logged += 1
      logResult(next, env)
    }
  }
  const running = new Set<Promise<void>>()
  for (const [index, call] of calls.entries()) {
    const isShared = overlaps(env.tools.find(tool => tool.name === call.name))
    if (!isShared) await Promise.all(running)
    if (running.size >= CONCURRENT) await Promise.race(running)
    const work: Promise<void> = settle(call, index).finally(() => running.delete(work))
    running.add(work)
    if (!isShared) await work
  }
  await Promise.all(running)
}

/** A tool may answer with what no log can keep: then the model reads that. */
function logResult(data: ResultData, { append }: CallEnvironment): void {
  try {
    append({ type: 'tool/result', data })
  } catch (error) {
    if (!hasCode(error, 'BAD_REQUEST')) throw error
    const { turn, step, callId, name } = data
    const failure = refusal('TOOL_FAILED', `${name} answered with what cannot be kept.`)
    append({ type: 'tool/result', data: { turn, step, callId, name, ...failure } })
  }
}

function overlaps(tool: Tool | undefined): boolean {
  return tool === undefined || tool.toolClass === 'read' || tool.toolClass === 'delegate'
}

async function settleCall(call: RequestedCall, env: CallEnvironment): Promise<ResultData> {
  const { turn, step, signal } = env
  const { callId, name } = call
  const toResult = (outcome: ToolOutcome, durationMs?: number): ResultData => ({
    turn,
    step,
    callId,
    name,
    ...outcome,
    ...(durationMs !== undefined && { durationMs }),
  })
  const tool = env.tools.find(candidate => candidate.name === name)
  if (tool === undefined) return toResult(refusal('UNKNOWN_TOOL', `There is no tool ${name} here.`))
  if (call.problem !== undefined) return toResult(refusal('BAD_INPUT', call.problem))
  const parsed = parseInput(tool, call.input)
  if (!parsed.ok) return toResult(refusal('BAD_INPUT', `The input does not fit ${name}: ${parsed.problem}`))
  const { input } = parsed
  let startedAt: number | null = null
  try {
    const permission = signal.aborted ? 'stopped' : await env.permit(tool, call, input)
    if (permission === 'stopped') return toResult(STOPPED)
    if (permission !== 'run') return toResult(refusal('DENIED', permission.denied))
    const announced = tool.announce?.(input) ?? {}
    env.append({ type: 'tool/call', data: { turn, step, callId, name, input: call.input, ...announced } })
    await env.barrier(signal)
    if (signal.aborted) return toResult(STOPPED)
    startedAt = env.now()
    return toResult(await env.execute(tool, call, input, announced), since(startedAt, env))
  } catch (error) {
    const failure = signal.aborted ? STOPPED : refusal('TOOL_FAILED', `${name} failed: ${messageOf(error)}`)
    return startedAt === null ? toResult(failure) : toResult(failure, since(startedAt, env))
  }
}

/** A clock that stepped back is no time. */
function since(startedAt: number, { now }: CallEnvironment): number {
  return Math.max(0, now() - startedAt)
}

const STOPPED = refusal('CANCELLED', 'Stopped before it finished.')

function refusal(code: string, text: string): ToolOutcome {
  return { status: 'error', code, content: textContent(text) }
}
