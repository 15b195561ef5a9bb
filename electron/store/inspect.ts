import { closersOf, type Draft } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { Damage } from '#shared/session/inspection.ts'
import { unfinished } from './draft.ts'
import type { EventRow, ReadRow } from './event-rows.ts'
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
 * at `from` and must reach back to the last `turn/start` for the closers to be right.
 */
export function inspectLog(
  rows: Iterable<EventRow>,
  range: { readonly from: number; readonly end: number },
  draft: Draft | null,
  onEvent: (row: ReadRow) => void,
): InspectedLog {
  let openTurn: StoredEvent[] = []
  const examined = examine(rows, { ...range, atTail: true }, (row, intact) => {
    if (!intact) return
    if (row.event.type === 'turn/start') openTurn = [row.event]
    else if (row.event.type === 'turn/end') openTurn = []
    else if (openTurn.length > 0) openTurn.push(row.event)
    onEvent(row)
  })
  return { ...examined, closers: stampedClosers(openTurn, draft, examined.intactEnd), openTurn }
}

/** The closers as events: seq goes on from `from`, time stands still at the last event's. */
export function stampedClosers(
  openTurn: readonly StoredEvent[],
  draft: Draft | null,
  from: number,
): StoredEvent[] {
  const last = openTurn.at(-1)
  if (last === undefined) return []
  return closersOf(openTurn, unfinished(draft, openTurn)).map((closer, index) => ({
    seq: from + index,
    time: last.time,
    ...closer,
  }))
}
