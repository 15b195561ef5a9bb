import type { SessionId } from '#shared/session/ids.ts'
import { asRecord, isTrue, type JsonRecord, recordField, textField } from '../json-fields.ts'
import { callIdOf } from './api-message.ts'
import { firstPrompt, type Thread } from './thread.ts'
import { resultsOf, resultText } from './tool-results.ts'
import { blocksOf } from './user-line.ts'

/** A call of the `Task` (later `Agent`) tool. */
export interface Delegation {
  readonly thread: Thread
  readonly callId: string
  readonly description: string | null
  readonly prompt: string
  /** From its result: there is none while the agent runs, nor after it was killed. */
  readonly agentId: string | null
  /** `launched`: it went on in the background, how it ended is not said here. */
  readonly result: 'none' | 'ok' | 'launched' | 'error'
}

export interface Lineage {
  readonly parent: Thread
  readonly call: Delegation | null
}

export interface Links {
  readonly lineage: ReadonlyMap<Thread, Lineage>
  /** The child that a call of a thread started or went on with. */
  childOf(thread: Thread, callId: string): SessionId | null
}

const AGENT_ID = /\bagentId: ([A-Za-z0-9_-]{4,})/

/**
 * Who called whom (issue P100: by ids in records and sidecars, never by folder neighbours): sidecar's call id, then
 * the agent id in a caller's result, then equality of the prompt. An agent that no one names hangs on the main
 * thread; so does one whose callers form a circle.
 */
export function linkThreads(main: Thread, children: readonly Thread[]): Links {
  const threads = [main, ...children]
  const calls = threads.flatMap(delegationsOf)
  const claimed = new Set<Delegation>()
  const found = new Map<Thread, Delegation>()
  const claim = (child: Thread, call: Delegation | undefined) => {
    if (call === undefined || found.has(child)) return
    found.set(child, call)
    claimed.add(call)
  }
  const open = (child: Thread, matches: (call: Delegation) => boolean) =>
    calls.find(call => call.thread !== child && !claimed.has(call) && matches(call))

  for (const child of children) {
    const callId = textField(child.meta, 'toolUseId')
    if (callId !== null)
      claim(
        child,
        open(child, call => call.callId === callId),
      )
  }
  for (const child of children)
    claim(
      child,
      open(child, call => isNamed(call, child)),
    )
  for (const sameTask of [isSameText, isSameBeginning]) {
    for (const failed of [false, true]) {
      for (const child of children) {
        if (child.workflow !== null || found.has(child)) continue
        const task = firstPrompt(child)?.trim() ?? ''
        if (task === '') continue
        const isFree = (call: Delegation) => call.agentId === null && (call.result === 'error') === failed
        claim(
          child,
          open(child, call => isFree(call) && sameTask(call.prompt.trim(), task)),
        )
      }
    }
  }

  const runs = workflowCallers(threads)
  const lineage = new Map<Thread, Lineage>()
  for (const child of children) {
    const call = found.get(child) ?? null
    const caller = call?.thread ?? (child.workflow === null ? undefined : runs.get(child.workflow))
    lineage.set(child, { parent: caller === undefined || caller === child ? main : caller, call })
  }
  breakCircles(main, lineage)

  const started = new Map(threads.map(thread => [thread, new Map<string, SessionId>()]))
  for (const call of calls) {
    const named = children.find(child => isNamed(call, child))
    if (named !== undefined) started.get(call.thread)?.set(call.callId, named.id)
  }
  for (const [child, call] of found) started.get(call.thread)?.set(call.callId, child.id)
  return { lineage, childOf: (thread, callId) => started.get(thread)?.get(callId) ?? null }
}

function isNamed(call: Delegation, child: Thread): boolean {
  return child.kind === 'agent' && call.agentId === child.sourceId && call.thread !== child
}

function isSameText(asked: string, task: string): boolean {
  return asked === task
}

/** Old versions cut or wrap the prompt. */
function isSameBeginning(asked: string, task: string): boolean {
  const length = 60
  if (asked.length < length || task.length < length) return false
  return task.startsWith(asked.slice(0, length)) || asked.startsWith(task.slice(0, length))
}

function delegationsOf(thread: Thread): Delegation[] {
  const results = new Map<string, { detail: JsonRecord | null; block: JsonRecord }>()
  for (const { line } of thread.lines) {
    if (line.type !== 'user') continue
    for (const { callId, detail, block } of resultsOf(line)) {
      if (!results.has(callId)) results.set(callId, { detail, block })
    }
  }
  const calls = new Map<string, Delegation>()
  for (const { line } of thread.lines) {
    if (line.type !== 'assistant' || line.message === null) continue
    for (const [index, value] of blocksOf(line).entries()) {
      const block = asRecord(value)
      const name = textField(block, 'name')
      if (textField(block, 'type') !== 'tool_use' || (name !== 'Task' && name !== 'Agent')) continue
      const callId = callIdOf(block, line, index)
      if (calls.has(callId)) continue
      const input = recordField(block, 'input')
      const result = results.get(callId)
      calls.set(callId, {
        thread,
        callId,
        description: textField(input, 'description'),
        prompt: textField(input, 'prompt') ?? '',
        agentId: result === undefined ? null : agentIdOf(result.detail, result.block),
        result: result === undefined ? 'none' : outcomeOf(result.detail, result.block),
      })
    }
  }
  return [...calls.values()]
}

function outcomeOf(detail: JsonRecord | null, block: JsonRecord): Delegation['result'] {
  if (isTrue(block, 'is_error')) return 'error'
  const isLaunched = isTrue(detail, 'isAsync') || textField(detail, 'status') === 'async_launched'
  return isLaunched ? 'launched' : 'ok'
}

function agentIdOf(detail: JsonRecord | null, block: JsonRecord): string | null {
  const stated = textField(detail, 'agentId') ?? textField(detail, 'agent_id')
  return stated ?? AGENT_ID.exec(resultText(block))?.[1] ?? null
}

/** The thread that started each workflow run. */
function workflowCallers(threads: readonly Thread[]): ReadonlyMap<string, Thread> {
  const callers = new Map<string, Thread>()
  for (const thread of threads) {
    for (const { line } of thread.lines) {
      const runId = line.type === 'user' ? textField(recordField(line.value, 'toolUseResult'), 'runId') : null
      if (runId !== null && !callers.has(runId)) callers.set(runId, thread)
    }
  }
  return callers
}

function breakCircles(main: Thread, lineage: Map<Thread, Lineage>): void {
  for (const [child, link] of lineage) {
    const seen = new Set<Thread>([child])
    for (let at = link.parent; at !== main; at = lineage.get(at)?.parent ?? main) {
      if (seen.has(at)) {
        lineage.set(child, { parent: main, call: null })
        break
      }
      seen.add(at)
    }
  }
}
