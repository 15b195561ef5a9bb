import { textContent } from '#shared/session/content.ts'
import type { ModelRoute, Todo } from '#shared/session/events.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import type { LogDraft } from './log-draft.ts'
import type { Prose } from './prose.ts'
import type { Random } from './random.ts'

export const CORPUS_ROUTE: ModelRoute = { provider: 'rehearsal', model: 'rehearsal' }

/** Events of a step that calls one tool, of a turn without its steps, and of a turn with one closing step. */
export const STEP_EVENTS = 5
const FRAME_EVENTS = 2
export const LEAST_TURN_EVENTS = FRAME_EVENTS + 3

const FILES = ['src/parser.ts', 'src/lexer.ts', 'src/scope.ts', 'test/parser.test.ts', 'docs/grammar.md']

export interface TurnPlan {
  readonly turn: number
  /** How many events the turn takes: at least `LEAST_TURN_EVENTS`. */
  readonly events: number
  /** `null`: nothing ends it, as when the application was killed. */
  readonly reason: TurnEndReason | null
}

export interface Ink {
  readonly random: Random
  readonly prose: Prose
}

/** One turn of exactly `plan.events` events: steps with a tool call each, a closing message, its end. */
export function writeTurn(log: LogDraft, { turn, events, reason }: TurnPlan, ink: Ink): void {
  const closing = reason === null ? 0 : 1
  let left = events - 1 - closing
  log.add({ type: 'turn/start', data: { turn } })
  let step = 1
  for (; left >= STEP_EVENTS + 3; left -= STEP_EVENTS) {
    writeToolStep(log, turn, step, ink)
    step += 1
  }
  for (; left > 3; left -= 1) log.add({ type: 'todo/write', data: { items: todos(ink) } })
  if (left >= 1) log.add({ type: 'step/start', data: { turn, step } })
  if (left >= 2) writeMessage(log, turn, step, ink, 700)
  if (left >= 3) log.add({ type: 'step/end', data: { turn, step } })
  if (reason !== null) log.add({ type: 'turn/end', data: { turn, reason } })
}

function writeToolStep(log: LogDraft, turn: number, step: number, ink: Ink): void {
  const { random, prose } = ink
  const call = { turn, step, callId: random.localId('call') }
  const path = random.pick(FILES)
  const edits = random.below(4) === 0
  const name = edits ? 'edit' : 'read'
  const input = edits ? { path, find: prose.text(60), replace: prose.text(70) } : { path, from: 1 }
  log.add({ type: 'step/start', data: { turn, step } })
  writeMessage(log, turn, step, ink, 330 + random.below(120), { ...call, name, input })
  log.add({ type: 'tool/call', data: { ...call, name, input } })
  log.add(
    {
      type: 'tool/result',
      data: {
        ...call,
        name,
        status: 'ok',
        content: textContent(prose.text(1030 + random.below(300))),
        durationMs: 5 + random.below(900),
        summary: edits ? '+3 −1' : `${10 + random.below(400)} lines`,
        ...(edits && { files: [path] }),
      },
    },
    100 + random.below(4000),
  )
  log.add({ type: 'step/end', data: { turn, step } })
}

function writeMessage(
  log: LogDraft,
  turn: number,
  step: number,
  { random, prose }: Ink,
  length: number,
  call?: { readonly callId: string; readonly name: string; readonly input: Record<string, string | number> },
): void {
  const tool = call && { type: 'tool-call' as const, callId: call.callId, name: call.name, input: call.input }
  log.add(
    {
      type: 'assistant/message',
      data: {
        id: random.localId('msg'),
        turn,
        step,
        content: [{ type: 'text', text: prose.text(length) }, ...(tool === undefined ? [] : [tool])],
        usage: { input: 800 + random.below(4000), output: 60 + random.below(900), costUsd: 0 },
        model: CORPUS_ROUTE,
      },
    },
    1000 + random.below(9000),
  )
}

function todos({ random, prose }: Ink): Todo[] {
  const done = random.below(4)
  return Array.from({ length: 4 }, (_, index) => ({
    content: prose.words(8),
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }))
}
