import { textOf } from '#shared/session/content.ts'
import type { EventOf, StoredEvent } from '#shared/session/events.ts'
import { toolLine } from '#shared/session/tool-line.ts'
import type { DelegateRow, ToolRow, ToolState } from './row.ts'
import type { RowDraft } from './row-draft.ts'
import { DELEGATE_HEIGHT, TOOL_HEIGHT } from './row-height.ts'

interface Call {
  readonly callId: string
  readonly name: string
  readonly input: unknown
}

/** What the model asks for: a line at once, so that a refused call is seen too. */
export function addCall(
  draft: RowDraft,
  event: Pick<StoredEvent, 'seq' | 'time' | 'cut'>,
  call: Call,
): number {
  const { callId, name, input } = call
  const index = draft.add(event, {
    kind: 'tool',
    key: `c:${callId}`,
    height: TOOL_HEIGHT,
    callId,
    name,
    input,
    ...toolLine(name, input),
    state: 'asked',
    startedAt: null,
    result: null,
    resultSeq: null,
  })
  draft.calls.set(callId, index)
  draft.open.add(index)
  return index
}

export function startCall(draft: RowDraft, event: EventOf<'tool/call'>): void {
  const { callId, name, input, childId, background, turn } = event.data
  const known = openTool(draft, callId)
  const index = known ?? addCall(draft, event, { callId, name, input })
  const row = draft.rows[index]
  if (row?.kind !== 'tool') return
  if (childId === undefined) {
    draft.replace(index, {
      ...row,
      name,
      input,
      ...toolLine(name, input),
      state: 'running',
      startedAt: event.time,
    })
    return
  }
  const label = toolLine('delegate', input).target
  if (label !== '') draft.labels.set(childId, label)
  draft.children.set(childId, index)
  draft.replace(index, {
    kind: 'delegate',
    key: row.key,
    seq: row.seq,
    time: row.time,
    height: DELEGATE_HEIGHT,
    callId,
    turn,
    childId,
    label,
    background: background === true,
    startedAt: event.time,
    endedAt: null,
    outcome: null,
    text: '',
  })
}

export function settleCall(draft: RowDraft, event: EventOf<'tool/result'>): void {
  const { callId, name, status, code } = event.data
  const known = draft.calls.get(callId)
  const row = known === undefined ? undefined : draft.rows[known]
  if (known !== undefined && row?.kind === 'delegate') {
    draft.open.delete(known)
    if (!row.background) draft.replace(known, answered(row, event))
    else if (status === 'error') draft.replace(known, { ...answered(row, event), outcome: 'failed' })
    return
  }
  const index = openTool(draft, callId) ?? addCall(draft, event, { callId, name, input: null })
  const tool = draft.rows[index]
  if (tool?.kind !== 'tool') return
  draft.open.delete(index)
  const state = (code === undefined ? undefined : ENDED[code]) ?? status
  const cut = event.cut === undefined ? {} : { resultCut: event.cut }
  draft.replace(index, { ...tool, ...cut, state, result: event.data, resultSeq: event.seq })
}

/** Results that stand for "there is none". */
const ENDED: Readonly<Partial<Record<string, ToolState>>> = {
  DENIED: 'denied',
  CANCELLED: 'stopped',
  TOOL_NOT_STARTED: 'over',
  TOOL_OUTCOME_UNKNOWN: 'over',
}

function answered(row: DelegateRow, event: EventOf<'tool/result'>): DelegateRow {
  const { status, code, content } = event.data
  const ended = status === 'ok' ? 'completed' : code === 'CANCELLED' ? 'stopped' : 'failed'
  const outcome = code === 'TOOL_OUTCOME_UNKNOWN' || code === 'TOOL_NOT_STARTED' ? 'interrupted' : ended
  return {
    ...row,
    endedAt: event.time,
    outcome: row.outcome ?? outcome,
    text: row.text || firstLine(textOf(content)),
  }
}

export function decideCall(draft: RowDraft, event: EventOf<'approval/decided'>): void {
  if (event.data.decision.kind !== 'deny') return
  const index = openTool(draft, event.data.callId)
  const row = index === undefined ? undefined : draft.rows[index]
  if (index !== undefined && row?.kind === 'tool') draft.replace(index, { ...row, state: 'denied' })
}

export function settleChild(draft: RowDraft, event: EventOf<'subagent/settled'>): void {
  const { childId, label, outcome, text } = event.data
  draft.labels.set(childId, label)
  draft.told.push({ kind: 'settlement', childId, text, outcome })
  const index = draft.children.get(childId)
  const row = index === undefined ? undefined : draft.rows[index]
  if (index === undefined || row?.kind !== 'delegate') return
  draft.replace(index, { ...row, endedAt: event.time, outcome, text: firstLine(text) || row.text })
}

/** The words of a report come as a message of their own. */
export function reportChild(draft: RowDraft, event: EventOf<'subagent/report'>): void {
  const { childId, label, output } = event.data
  draft.labels.set(childId, label)
  draft.told.push({ kind: 'report', childId, text: output, outcome: null })
}

/** The turn is over: a call without a result will get none. */
export function closeCalls(draft: RowDraft): void {
  for (const index of draft.open) {
    const row = draft.rows[index]
    if (row?.kind === 'tool' && row.result === null && row.state !== 'denied') {
      draft.replace(index, { ...row, state: 'over' })
    }
  }
  draft.open.clear()
}

/** The unanswered line of a call, if the window holds it. */
function openTool(draft: RowDraft, callId: string): number | undefined {
  const index = draft.calls.get(callId)
  if (index === undefined) return undefined
  const row: ToolRow | undefined =
    draft.rows[index]?.kind === 'tool' ? (draft.rows[index] as ToolRow) : undefined
  return row === undefined || row.result !== null ? undefined : index
}

function firstLine(text: string): string {
  return (
    text
      .slice(0, 2000)
      .split('\n')
      .map(line => line.trim())
      .find(line => line !== '')
      ?.replaceAll(/[`*]/g, '')
      .slice(0, 240) ?? ''
  )
}
