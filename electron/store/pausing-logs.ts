import type { EventRow } from './event-rows.ts'
import type { LogRow, Logs } from './logs.ts'

const ROWS_BETWEEN = 100

/**
 * The same logs, with a pause now and then while a long one is read: whatever must not wait for the end of it can be
 * done there.
 */
export function withPauses<Row extends LogRow>(logs: Logs<Row>, pause: () => void): Logs<Row> {
  function* events(key: number, fromSeq: number): Generator<EventRow, void> {
    let count = 0
    for (const row of logs.events(key, fromSeq)) {
      yield row
      count += 1
      if (count % ROWS_BETWEEN === 0) pause()
    }
  }
  return {
    session: id => logs.session(id),
    find: id => logs.find(id),
    readHeader: row => logs.readHeader(row),
    events,
    eventsBefore: (key, before, limit) => logs.eventsBefore(key, before, limit),
    raw: (key, fromSeq, limit) => logs.raw(key, fromSeq, limit),
    rowsEnd: key => logs.rowsEnd(key),
    openTurnStart: (key, end) => logs.openTurnStart(key, end),
    draft: key => logs.draft(key),
  }
}
