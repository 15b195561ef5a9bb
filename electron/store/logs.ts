import type { Draft } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { EventRow } from './event-rows.ts'
import type { ListFilter, RawRow, StoredSession } from './persistence.ts'
import { headerOrThrow, type ReadHeader } from './read-header.ts'

/** What a backend's record says about one session, beside its header. */
export interface LogRow {
  /** Names the session within this process. */
  readonly key: number
  readonly id: string
  /** Number of events that the record states. */
  readonly end_seq: number
  /** How often a torn tail was cut off. */
  readonly cuts: number
  /** Time of the last event, where it can be told. */
  readonly last_time: unknown
  readonly archived: number
  readonly has_children: number
}

/** The longest text of an event that the raw view gets. */
export const RAW_LENGTH = 4000

/**
 * One backend's logs, row by row and unchecked: everything that is read of them is made over this. `key` is that of a
 * row that was handed out.
 */
export interface Logs<Row extends LogRow = LogRow> {
  /** @throws WorkbenchError `SESSION_NOT_FOUND` for an unknown or trashed id. */
  session(id: string): Row
  find(id: string): Row | undefined
  readHeader(row: Row): ReadHeader
  /** In order, a stretch at a time as they are asked for: a long log is never held whole. */
  events(key: number, fromSeq: number): Iterable<EventRow>
  /** At most `limit` rows before `before`, in order. One range read. */
  eventsBefore(key: number, before: number, limit: number): EventRow[]
  raw(key: number, fromSeq: number, limit: number): RawRow[]
  /** The seq after the last row, which a damaged record may state differently. */
  rowsEnd(key: number): number
  /** Where the turn that is open before `end` began, `null` when none is. By index. */
  openTurnStart(key: number, end: number): number | null
  draft(key: number): Draft | null
}

/** What makes a log fit to be continued. */
export interface LogRepair {
  /** All of it is durable when this returns, or nothing of it is done. */
  together<T>(work: () => T): T
  /** Takes away what is at and behind `fromSeq`, and keeps it aside. Counts as a cut. */
  cutTail(key: number, fromSeq: number): void
  /** Ends the log at `fromSeq` plus `events`, which may be none. */
  append(key: number, fromSeq: number, events: readonly StoredEvent[]): void
  dropDraft(key: number): void
}

/** What listings are made of. */
export interface SessionRows<Row extends LogRow> {
  /** Listed sessions in order, those whose header cannot be read perhaps among them. */
  rows(filter: ListFilter): Iterable<Row>
  /** Those whose header cannot be read, all of them. */
  unreadable(): Iterable<Row>
}

/** @throws WorkbenchError `SESSION_VERSION` or `SESSION_DAMAGED`. */
export function headerOf<Row extends LogRow>(logs: Logs<Row>, row: Row): SessionHeader {
  return headerOrThrow(row.id, logs.readHeader(row))
}

export function storedSession(row: LogRow, header: SessionHeader): StoredSession {
  return {
    header,
    endSeq: row.end_seq,
    archived: row.archived !== 0,
    hasSubagentChildren: row.has_children === 1,
    lastActivity: typeof row.last_time === 'number' ? row.last_time : header.createdAt,
  }
}
