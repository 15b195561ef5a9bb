import { textContent } from '#shared/session/content.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { LogDraft } from './log-draft.ts'
import { CORPUS_ROUTE, type Ink, writeTurn } from './turn.ts'

const CALLS_A_STEP = 8

export interface DelegatedChild {
  readonly id: SessionId
  readonly mode: 'one-shot' | 'continuable'
  readonly label: string
}

/** The log of a root that delegated to `children` in one turn, eight at a time. */
export function rootLog(
  startMs: number,
  title: string,
  children: readonly DelegatedChild[],
  ink: Ink,
): readonly StoredEvent[] {
  const log = begin(startMs, title, ink)
  delegateAll(log, children, ink)
  return log.events
}

function delegateAll(log: LogDraft, children: readonly DelegatedChild[], ink: Ink): void {
  log.add({ type: 'turn/start', data: { turn: 1 } })
  for (let first = 0; first < children.length; first += CALLS_A_STEP) {
    writeDelegations(log, first / CALLS_A_STEP + 1, children.slice(first, first + CALLS_A_STEP), ink)
  }
  log.add({ type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } })
}

/** A session that has nothing to do with the tree: a question and its answer, or children of its own. */
export function unrelatedLog(
  startMs: number,
  title: string,
  children: readonly DelegatedChild[],
  ink: Ink,
): readonly StoredEvent[] {
  const log = begin(startMs, title, ink)
  if (children.length > 0) delegateAll(log, children, ink)
  else writeTurn(log, { turn: 1, events: 5, reason: { kind: 'completed' } }, ink)
  return log.events
}

function begin(startMs: number, title: string, { random, prose }: Ink): LogDraft {
  const log = new LogDraft(startMs)
  log.add({ type: 'approval/policy', data: { mode: 'workspace' } })
  log.add({ type: 'model/changed', data: { route: CORPUS_ROUTE, by: 'person' } })
  log.add({ type: 'session/title', data: { title, source: 'model' } })
  const content = textContent(prose.text(300))
  log.add({ type: 'user/message', data: { id: random.localId('msg'), source: { kind: 'person' }, content } })
  return log
}

function writeDelegations(log: LogDraft, step: number, children: readonly DelegatedChild[], ink: Ink): void {
  const { random, prose } = ink
  const calls = children.map(child => ({ child, callId: random.localId('call') }))
  const inputOf = ({ label, mode }: DelegatedChild) => ({ description: label, prompt: prose.text(200), mode })
  log.add({ type: 'step/start', data: { turn: 1, step } })
  log.add({
    type: 'assistant/message',
    data: {
      id: random.localId('msg'),
      turn: 1,
      step,
      content: calls.map(({ child, callId }) => ({
        type: 'tool-call' as const,
        callId,
        name: 'delegate',
        input: inputOf(child),
      })),
      usage: { input: 2000 + random.below(9000), output: 300 + random.below(900), costUsd: 0 },
      model: CORPUS_ROUTE,
    },
  })
  for (const { child, callId } of calls) {
    const call = { turn: 1, step, callId, name: 'delegate' }
    log.add({ type: 'tool/call', data: { ...call, input: inputOf(child), childId: child.id } })
    const content = textContent(prose.text(300))
    log.add({ type: 'tool/result', data: { ...call, status: 'ok', content, summary: 'completed' } }, 2000)
  }
  log.add({ type: 'step/end', data: { turn: 1, step } })
}
