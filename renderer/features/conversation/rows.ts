import type { PendingApproval } from '#shared/contract.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { Damage } from '#shared/session/inspection.ts'
import { type Row, sameRow } from './row.ts'
import { RowDraft } from './row-draft.ts'
import { foldEvent, partKey } from './row-fold.ts'
import { approvalHeight, FOLD_HEIGHT, proseHeight } from './row-height.ts'

/** Streamed text of an open message. Never authoritative: the logged message replaces it. */
export interface LiveText {
  readonly text: string
  readonly reasoning: string
}

/** A contiguous tail window of a log, as the store holds it. */
export interface TranscriptWindow {
  readonly events: readonly StoredEvent[]
  readonly live: ReadonlyMap<string, LiveText>
  /** Events below this seq were inherited. */
  readonly seedLength: number
  /** The window reaches the start of the log. */
  readonly atStart: boolean
  readonly damage: readonly Damage[]
  readonly approvals: readonly PendingApproval[]
}

export interface TranscriptRows {
  readonly rows: readonly Row[]
  /** How many of `rows`, at their beginning, were inherited. */
  readonly inherited: number
}

/**
 * Rows of a growing window. Each call folds only the events that the last one did not see; a prepended page
 * folds the window again and hands out the old object of every row that did not change. The same window gives
 * the same rows, whatever was asked before.
 */
export function createTranscriptRows(): (window: TranscriptWindow) => TranscriptRows {
  let draft = new RowDraft()
  let events: readonly StoredEvent[] = []
  let seed = 0
  let atStart = false
  let last: TranscriptRows = { rows: [], inherited: 0 }

  return window => {
    const grown = seed === window.seedLength && atStart === window.atStart && continues(events, window.events)
    if (!grown) draft = new RowDraft()
    foldFrom(draft, window, grown ? events.length : 0)
    events = window.events
    seed = window.seedLength
    atStart = window.atStart
    const rows = reuse(last.rows, [...draft.rows, ...tailRows(draft, window)])
    if (rows !== last.rows || draft.inherited !== last.inherited) last = { rows, inherited: draft.inherited }
    return last
  }
}

/** The rows of one window, without a past. */
export function rowsOf(window: TranscriptWindow): TranscriptRows {
  return createTranscriptRows()(window)
}

function continues(before: readonly StoredEvent[], now: readonly StoredEvent[]): boolean {
  if (before.length === 0 || now.length < before.length) return false
  return now[0] === before[0] && now[before.length - 1] === before.at(-1)
}

function foldFrom(draft: RowDraft, window: TranscriptWindow, from: number): void {
  for (let index = from; index < window.events.length; index++) {
    const stored = window.events[index]
    if (stored === undefined) continue
    const expected =
      index === 0 ? (window.atStart ? 0 : stored.seq) : (window.events[index - 1]?.seq ?? 0) + 1
    if (stored.seq > expected) addGap(draft, expected, stored.seq - 1, stored.time)
    foldEvent(draft, stored)
    if (stored.seq < window.seedLength) draft.inherited = draft.rows.length
  }
}

function addGap(draft: RowDraft, fromSeq: number, toSeq: number, time: number): void {
  const missing = toSeq - fromSeq + 1
  draft.add(
    { seq: fromSeq, time },
    { kind: 'gap', key: `gap:${fromSeq}`, height: FOLD_HEIGHT, missing, side: 'between' },
  )
}

/** What stands after the log: what was lost behind it, what streams, what asks. */
function tailRows(draft: RowDraft, window: TranscriptWindow): Row[] {
  const end = window.events.at(-1)
  const place = { seq: (end?.seq ?? -1) + 1, time: end?.time ?? 0 }
  const rows: Row[] = []
  for (const damage of window.damage) {
    if (damage.kind !== 'damaged-tail') continue
    const key = `lost:${damage.fromSeq}`
    rows.push({ ...place, kind: 'gap', key, height: FOLD_HEIGHT, missing: damage.lost, side: 'end' })
  }
  for (const [id, { text, reasoning }] of window.live) {
    if (draft.messages.has(id)) continue
    const thinks = text === ''
    if (reasoning.trim() !== '') {
      const key = partKey(id, 'reasoning', 0)
      rows.push({
        ...place,
        kind: 'thinking',
        key,
        height: FOLD_HEIGHT,
        text: reasoning,
        tookMs: null,
        live: thinks,
      })
    }
    if (text.trim() !== '') {
      rows.push({
        ...place,
        kind: 'text',
        key: partKey(id, 'text', 0),
        height: proseHeight(text),
        text,
        live: true,
      })
    }
  }
  const oldestFirst = window.approvals.toSorted((a, b) => a.approval.since - b.approval.since)
  oldestFirst.forEach((pending, index) => {
    const key = `ask:${pending.sessionId}:${pending.approval.approvalId}`
    const at = { position: index + 1, total: oldestFirst.length }
    rows.push({ ...place, kind: 'approval', key, height: approvalHeight(1), pending, ...at })
  })
  return rows
}

/** `next` with every unchanged row as the object it was; `last` itself when nothing changed. */
function reuse(last: readonly Row[], next: Row[]): readonly Row[] {
  const known = new Map<string, Row>()
  let same = last.length === next.length
  let aligned = 0
  while (aligned < last.length && last[aligned] === next[aligned]) aligned++
  for (let index = aligned; index < last.length; index++) {
    const row = last[index]
    if (row !== undefined) known.set(row.key, row)
  }
  for (let index = aligned; index < next.length; index++) {
    const row = next[index]
    const old = row === undefined ? undefined : known.get(row.key)
    if (row !== undefined && old !== undefined && (old === row || sameRow(old, row))) next[index] = old
    if (next[index] !== last[index]) same = false
  }
  return same ? last : next
}
