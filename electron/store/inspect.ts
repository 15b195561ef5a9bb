import { closersOf, type Draft } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { Damage } from '#shared/session/inspection.ts'
import { unfinished } from './draft.ts'
import { type EventRow, type ReadRow, readRow } from './event-rows.ts'
import { examine } from './examine.ts'

export interface InspectedLog {
  /** In memory only: what would end this log if it were loaded. */
  readonly closers: readonly StoredEvent[]
  readonly damage: readonly Damage[]
  /** Events of the longest valid log, closers not counted. */
  readonly intactEnd: number
  /** The seq after the last one that the record states or a row holds. */
  readonly end: number
  /** From its `turn/start` on the turn that nothing ended; empty when none is open. */
  readonly openTurn: readonly StoredEvent[]
}

/**
 * Reads a log leniently, in one pass: `onEvent` gets each event of the longest valid log in order. `rows` start
 * at `from` and must reach back to the last `turn/start` for the closers to be right. `draftOf` is asked only where a
 * turn is open.
 */
export function inspectLog(
  rows: Iterable<EventRow>,
  range: { readonly from: number; readonly end: number },
  draftOf: () => Draft | null,
  onEvent: (row: ReadRow) => void,
): InspectedLog {
  // As rows: nearly all turns have ended, and events that nothing holds on to cost the collector nothing.
  let turn: EventRow[] = []
  const examined = examine(rows, { ...range, atTail: true }, (read, intact, row) => {
    if (!intact) return
    if (read.event.type === 'turn/start') turn = [row]
    else if (read.event.type === 'turn/end') turn = []
    else if (turn.length > 0) turn.push(row)
    onEvent(read)
  })
  const openTurn = turn.flatMap(row => readRow(row)?.event ?? [])
  return { ...examined, closers: stampedClosers(openTurn, draftOf, examined.intactEnd), openTurn }
}

/** The closers as events: seq goes on from `from`, time stands still at the last event's. */
export function stampedClosers(
  openTurn: readonly StoredEvent[],
  draftOf: () => Draft | null,
  from: number,
): StoredEvent[] {
  const last = openTurn.at(-1)
  if (last === undefined) return []
  return closersOf(openTurn, unfinished(draftOf(), openTurn)).map((closer, index) => ({
    seq: from + index,
    time: last.time,
    ...closer,
  }))
}

/** Where closers are of no interest. */
export function noDraft(): null {
  return null
}
