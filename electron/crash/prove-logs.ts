import { isDeepStrictEqual } from 'node:util'
import { isWaitingForApproval } from '#shared/session/closers.ts'
import { readEvent, type SessionEvent } from '#shared/session/events.ts'
import { eventsOf } from '../tree-fixture.ts'
import type { Look } from './look.ts'
import { effectOf, FLOODED } from './scenes.ts'
import type { Verdict } from './verdict.ts'

interface Call {
  readonly effect: string | null
  started: boolean
  results: number
}

/** What a log is held against. */
export interface World {
  /** How often each marker was left in it. */
  readonly effects: ReadonlyMap<string, number>
  /** Whether the medium can leave half a line behind. */
  readonly mayTear: boolean
}

/** Each log by itself: whole, dense, closed in words that are true, and told alike by both ways of folding it. */
export function proveLog(look: Look, { effects, mayTear }: World, verdict: Verdict): void {
  const { id, inspection, rows, restored, folded } = look
  const { events, damage } = inspection
  for (const { kind } of damage) {
    // A line that the death cut off was promised to nobody. A database has none: its writes are whole or undone.
    if (kind === 'damaged-tail' && mayTear) verdict.count('tornTails')
    else verdict.fault('unloadable', `${id} shows ${kind}`)
  }
  if (new Set(rows).size < rows.length) verdict.fault('duplicates', id)
  const isDense = [...new Set(rows)].sort((a, b) => a - b).every((seq, index) => seq === index)
  if (!isDense || events.some(({ seq }, index) => seq !== index)) verdict.fault('holes', id)
  if (!isDeepStrictEqual(restored, folded)) verdict.fault('foldsApart', `${id}: ${differences(look)}`)
  const outcome = folded.values['outcome']
  if (isDeepStrictEqual(outcome, { kind: 'running' })) verdict.fault('alive', `${id} says that it runs`)
  proveCalls(look, effects, verdict)
  proveOutputs(look, verdict)
}

function differences({ restored, folded }: Look): string {
  const keys = new Set([...Object.keys(restored.values), ...Object.keys(folded.values)])
  return [...keys].filter(key => !isDeepStrictEqual(restored.values[key], folded.values[key])).join(', ')
}

/** An output is what was printed, as far as it is kept, and all of it where its result says so. */
function proveOutputs({ id, inspection, outputs }: Look, verdict: Verdict): void {
  const printed = Buffer.from(FLOODED)
  for (const [outputId, bytes] of outputs) {
    if (!printed.subarray(0, bytes.length).equals(bytes))
      verdict.fault('altered', `output ${outputId} of ${id}`)
  }
  for (const { data } of eventsOf(inspection.events, 'tool/result')) {
    if (data.output === undefined) continue
    const kept = outputs.get(data.output.id)?.length ?? 0
    if (kept !== data.output.bytes || data.output.complete === false)
      verdict.fault('lost', `output ${data.output.id} of ${id} has ${kept} of ${data.output.bytes} bytes`)
  }
}

/** Every call has one result, and what a closer says of it is what happened in the world. */
function proveCalls({ id, inspection }: Look, effects: ReadonlyMap<string, number>, verdict: Verdict): void {
  const calls = new Map<string, Call>()
  const complain = (problem: string) => verdict.fault('misstated', `${id}: ${problem}`)
  let isOpen = false
  for (const event of inspection.events.map(readEvent)) {
    if (event === null) complain('an event that cannot be understood')
    else if (event.type === 'turn/start') isOpen = true
    else if (event.type === 'turn/end') {
      isOpen = false
      for (const [callId, { results }] of calls)
        if (results !== 1) complain(`${callId} has ${results} results`)
      calls.clear()
    } else follow(event, calls, effects, complain, verdict)
  }
  if (isOpen && !isWaitingForApproval(inspection.events)) complain('its last turn is open')
}

function follow(
  event: SessionEvent,
  calls: Map<string, Call>,
  effects: ReadonlyMap<string, number>,
  complain: (problem: string) => void,
  verdict: Verdict,
): void {
  if (event.type === 'assistant/message' && event.data.interrupted !== true) {
    for (const block of event.data.content) {
      if (block.type !== 'tool-call') continue
      const effect = effectOf(block.name, block.input)
      calls.set(block.callId, { effect, started: false, results: 0 })
    }
  }
  if (event.type === 'tool/call') {
    const call = calls.get(event.data.callId)
    if (call === undefined) complain(`${event.data.callId} was started and never asked for`)
    else if (call.started) verdict.fault('ranTwice', `${event.data.callId} was started twice`)
    else call.started = true
  }
  if (event.type !== 'tool/result') return
  const { callId, code, status } = event.data
  const call = calls.get(callId)
  if (call === undefined) {
    complain(`${callId} has a result and was never asked for`)
    return
  }
  call.results += 1
  const happened = call.effect === null ? null : effects.has(call.effect)
  if (code === 'TOOL_OUTCOME_UNKNOWN') {
    if (!call.started) complain(`${callId} is said to have started`)
  }
  if (code === 'TOOL_NOT_STARTED') {
    if (call.started) complain(`${callId} is said not to have started`)
  }
  if ((code === 'TOOL_NOT_STARTED' || code === 'DENIED') && happened)
    complain(`${callId} had its effect all the same`)
  if (status === 'ok' && happened === false) complain(`${callId} is said to have run, without its effect`)
}

/** What the world shows was declared in a log first, and happened once. */
export function proveEffects(
  looks: readonly Look[],
  effects: ReadonlyMap<string, number>,
  verdict: Verdict,
): void {
  const declared = new Set(
    looks
      .flatMap(({ inspection }) => inspection.events)
      .map(readEvent)
      .map(event => (event?.type === 'tool/call' ? effectOf(event.data.name, event.data.input) : null)),
  )
  for (const [marker, times] of effects) {
    if (!declared.has(marker)) verdict.fault('undeclared', `the effect ${marker}`)
    if (times > 1) verdict.fault('ranTwice', `the effect ${marker}, ${times} times`)
  }
}
