import type { Damage } from '#shared/session/inspection.ts'
import { type EventRow, isSeq, type ReadRow, readRow } from './event-rows.ts'

export interface Range {
  /** The seqs that should be there: from `from` up to, not including, `end`. */
  readonly from: number
  readonly end: number
  /** The range ends at the log's end, so trailing damage has nothing readable behind it. */
  readonly atTail: boolean
}

export interface Examination {
  readonly damage: readonly Damage[]
  /** Where the dense, readable prefix of the range ends: the seq after its last event. */
  readonly intactEnd: number
  /** The seq after the last one that the record states or a row holds. */
  readonly end: number
}

/**
 * Walks rows in order and says what is wrong with them. `onRow` gets every readable row; `intact` tells
 * those before any damage. Rows past `range.end` belong to the log as well: a record may state too few.
 */
export function examine(
  rows: Iterable<EventRow>,
  range: Range,
  onRow: (read: ReadRow, intact: boolean, row: EventRow) => void,
): Examination {
  const damage: Damage[] = []
  // Problems since the last readable row: a torn tail if none follows.
  let pending: Damage[] = []
  let next = range.from
  let readableEnd = range.from
  let intactEnd = range.from
  for (const row of rows) {
    const seq = row[0]
    if (!isSeq(seq) || seq < next) continue // no seq of a log: left to `check`
    if (seq > next) pending.push({ kind: 'log-gap', fromSeq: next, toSeq: seq - 1 })
    next = seq + 1
    const read = readRow(row)
    if (read === null) {
      pending.push({ kind: 'log-undecodable', seq })
      continue
    }
    if (pending.length > 0) {
      damage.push(...pending)
      pending = []
    }
    readableEnd = next
    const intact = damage.length === 0
    if (intact) intactEnd = next
    onRow(read, intact, row)
  }
  const end = Math.max(next, range.end)
  if (!range.atTail) {
    damage.push(...pending)
    if (end > next) damage.push({ kind: 'log-gap', fromSeq: next, toSeq: end - 1 })
  } else if (end > readableEnd) {
    damage.push({ kind: 'damaged-tail', fromSeq: readableEnd, lost: end - readableEnd })
  }
  return { damage, intactEnd, end }
}
