import type { EventRow } from '../event-rows.ts'

/** What a log's record says, as far as an index must know it. */
export interface LogFacts {
  /** Names the session within this process: what `rows` takes. */
  readonly key: number
  readonly id: string
  /** Number of events that the record states. */
  readonly endSeq: number
  /** How often a tail was cut off: what was indexed of it is gone. */
  readonly cuts: number
  /** Own events start here; what is before stands in another log. */
  readonly seedLength: number
  /** Epoch milliseconds, 0 where it cannot be told. */
  readonly createdAt: number
  readonly lastTime: number
  readonly isTrashed: boolean
}

/**
 * A backend's logs for who makes something of all of them. Every call answers at once, from the thread that keeps the
 * logs; none reads a log but `rows`.
 */
export interface LogSource {
  /** By `key`, ascending; `after` is the last key of the page before, -1 for the first. Those in the trash too. */
  sessions(after: number, limit: number): readonly LogFacts[]
  session(id: string): LogFacts | null
  /**
   * Rows from `fromSeq` on in order, unchecked, at most `limit`: fewer only at the end. Data of more than 2,000,000
   * bytes may be cut to as many characters. @throws when the medium fails for this log.
   */
  rows(key: number, fromSeq: number, limit: number): readonly EventRow[]
}
