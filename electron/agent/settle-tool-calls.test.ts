import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { WorkbenchError } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import type { NewEvent, ToolClass } from '#shared/session/events.ts'
import { loggable } from '../session/session.ts'
import { defineTool, type Tool, type ToolOutcome } from '../tool/tool.ts'
import { createToolOutput } from '../tool/tool-output.ts'
import { type CallEnvironment, settleToolCalls } from './settle-tool-calls.ts'

const ok: ToolOutcome = { status: 'ok', content: textContent('fine') }

function tool(
  name: string,
  toolClass: ToolClass,
  execute: (signal: AbortSignal) => Promise<ToolOutcome>,
): Tool {
  return defineTool({
    name,
    description: name,
    inputSchema: z.object({}),
    toolClass,
    execute: (_input, { signal }) => execute(signal),
  })
}

/** Runs calls of the given names and tells what was logged, and what ran when. */
async function run(tools: readonly Tool[], names: readonly string[], stop?: AbortController) {
  const logged: NewEvent[] = []
  const trace: string[] = []
  const abort = stop ?? new AbortController()
  const env: CallEnvironment = {
    turn: 1,
    step: 1,
    tools,
    signal: abort.signal,
    now: () => 0,
    append: event => {
      loggable(event)
      logged.push(event)
    },
    permit: async () => 'run',
    barrier: async () => {},
    execute: async (called, { callId }, input) => {
      trace.push(`+${callId}`)
      const output = createToolOutput({ id: callId, keep: async () => {} })
      const context = { sessionId: 's' as never, callId, cwd: '/', signal: abort.signal, output }
      try {
        return await called.execute(input, context)
      } finally {
        trace.push(`-${callId}`)
      }
    },
  }
  await settleToolCalls(
    names.map((name, index) => ({ callId: `${index}`, name, input: {} })),
    env,
  )
  const results = logged.flatMap(event => (event.type === 'tool/result' ? [event.data] : []))
  return { results, trace }
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

describe('the calls of one step', () => {
  it('are answered in the order in which they were made, whichever ends first', async () => {
    const slow = tool('slow', 'read', () => pause(30).then(() => ok))
    const fast = tool('fast', 'read', async () => ok)

    const { results, trace } = await run([slow, fast], ['slow', 'fast', 'nobody', 'fast'])

    expect(results.map(({ callId }) => callId)).toEqual(['0', '1', '2', '3'])
    expect(results.map(({ code }) => code)).toEqual([undefined, undefined, 'UNKNOWN_TOOL', undefined])
    expect(trace.indexOf('-1')).toBeLessThan(trace.indexOf('-0'))
  })

  it('overlap when they read, and never when one of them changes something', async () => {
    const read = tool('read', 'read', () => pause(10).then(() => ok))
    const write = tool('write', 'write', () => pause(10).then(() => ok))

    const { trace } = await run([read, write], ['read', 'read', 'write', 'write', 'read'])

    expect(trace).toEqual(['+0', '+1', '-0', '-1', '+2', '-2', '+3', '-3', '+4', '-4'])
  })

  it('run eight at a time at most', async () => {
    let running = 0
    let most = 0
    const read = tool('read', 'read', async () => {
      running += 1
      most = Math.max(most, running)
      await pause(2)
      running -= 1
      return ok
    })

    const { results } = await run([read], Array<string>(30).fill('read'))

    expect(results).toHaveLength(30)
    expect(most).toBe(8)
  })

  it('are all answered when the turn is stopped, in order, and the rest is not begun', async () => {
    const abort = new AbortController()
    const write = tool('write', 'write', async signal => {
      abort.abort('user')
      signal.throwIfAborted()
      return ok
    })

    const { results, trace } = await run([write], ['write', 'write', 'write'], abort)

    expect(results.map(({ callId, code }) => [callId, code])).toEqual([
      ['0', 'CANCELLED'],
      ['1', 'CANCELLED'],
      ['2', 'CANCELLED'],
    ])
    expect(trace).toEqual(['+0', '-0'])
  })

  it('are answered though a tool throws, or answers with what no log can keep', async () => {
    const broken = tool('broken', 'read', () => Promise.reject(new WorkbenchError('INTERNAL', 'Oh no.')))
    const odd = tool('odd', 'read', async () => ({ ...ok, exitCode: Number.NaN }))

    const { results } = await run([broken, odd], ['broken', 'odd'])

    expect(results.map(({ code }) => code)).toEqual(['TOOL_FAILED', 'TOOL_FAILED'])
  })
})
