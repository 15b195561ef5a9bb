import type { StoredEvent } from '#shared/session/events.ts'
import { MOST_EVENT_CHARS, wireEvent } from '#shared/session/wire-events.ts'
import { type ReadRow, readRow, rowJson } from './event-rows.ts'
import { examine } from './examine.ts'
import { inspectLog } from './inspect.ts'
import { headerOf, type LogRow, type Logs } from './logs.ts'
import type { Inspection, LogPage, RawRow } from './persistence.ts'
import { type Answer, answer, answerInPieces } from './wire.ts'

/** The lenient reads: what the store thread answers without writing anything. */
export function createLogReads<Row extends LogRow>(logs: Logs<Row>) {
  /** Of a log that ends inside a turn and is whole up to there. */
  function closersAtEnd(key: number, end: number): readonly StoredEvent[] {
    const from = logs.openTurnStart(key, end)
    if (from === null) return []
    const turn = inspectLog(
      logs.events(key, from),
      { from, end },
      () => logs.draft(key),
      () => {},
    )
    return turn.damage.length > 0 ? [] : turn.closers
  }

  return {
    inspect(id: string): Answer<Inspection> {
      const row = logs.session(id)
      const header = headerOf(logs, row)
      const texts: string[] = []
      const range = { from: 0, end: row.end_seq }
      const { closers, damage } = inspectLog(
        logs.events(row.key, 0),
        range,
        () => logs.draft(row.key),
        read => {
          texts.push(rowJson(read))
        },
      )
      for (const closer of closers) texts.push(JSON.stringify(closer))
      return answerInPieces<Inspection, 'events'>(
        { header, closers: closers.length, damage },
        'events',
        texts,
      )
    },

    page(id: string, before: number | null, limit: number, shortened = false): Answer<LogPage> {
      const row = logs.session(id)
      const header = headerOf(logs, row)
      const endSeq = Math.max(row.end_seq, logs.rowsEnd(row.key))
      const end = Math.min(before ?? endSeq, endSeq)
      const rows = logs.eventsBefore(row.key, end, limit)
      const first = rows.length < limit ? 0 : Number(rows[0]?.[0] ?? 0)
      const texts: string[] = []
      const { damage } = examine(rows, { from: first, end, atTail: end === endSeq }, read =>
        texts.push(shortened ? shortJson(read) : rowJson(read)),
      )
      const closers = end === endSeq && damage.length === 0 ? closersAtEnd(row.key, endSeq) : []
      for (const closer of closers) texts.push(JSON.stringify(closer))
      const nextBefore = first > 0 ? first : null
      const shownEnd = endSeq + closers.length
      const page = { header, nextBefore, endSeq: shownEnd, closers: closers.length, damage }
      return answerInPieces<LogPage, 'events'>(page, 'events', texts)
    },

    readFrom(id: string, seq: number, limit: number): Answer<{ events: readonly StoredEvent[] }> {
      const row = logs.session(id)
      const texts: string[] = []
      for (const stored of logs.events(row.key, seq)) {
        if (texts.length >= limit) break
        const read = readRow(stored)
        if (read !== null) texts.push(rowJson(read))
      }
      return answerInPieces<{ events: readonly StoredEvent[] }, 'events'>({}, 'events', texts)
    },

    raw(id: string, fromSeq: number, limit: number): Answer<readonly RawRow[]> {
      return answer(logs.raw(logs.session(id).key, fromSeq, limit))
    },

    revision(id: string): Answer<string> {
      const { cuts, end_seq } = logs.session(id)
      return answer(`${cuts}.${end_seq}`)
    },
  }
}

/** The event as JSON, as a window is sent it. */
function shortJson(read: ReadRow): string {
  return read.text.length > MOST_EVENT_CHARS ? JSON.stringify(wireEvent(read.event)) : rowJson(read)
}
