import type Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import type { Draft } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { walkRows } from '../backup/walk-rows.ts'
import { readDraft } from '../draft.ts'
import { EVENT_COLUMNS, type EventRow, isSeq } from '../event-rows.ts'
import { type Logs, RAW_LENGTH } from '../logs.ts'
import type { RawRow } from '../persistence.ts'
import type { ReadHeader } from '../read-header.ts'
import type { EncodedEvents } from '../wire.ts'
import type { PastDamage } from './past-damage.ts'
import { readHeader, SESSION_COLUMNS, type SessionRow } from './session-rows.ts'

/** Rows that are read at a time. */
const STRETCH = 500

/** Rows that are looked for one by one where a page of them cannot be read. */
const MOST_PROBES = 20_000

/** The statements over one session's rows. Every call is one statement; transactions are the caller's. */
export class LogTable implements Logs<SessionRow> {
  readonly #past
  readonly #end
  readonly #session
  readonly #key
  readonly #events
  readonly #eventsBackwards
  readonly #raw
  readonly #lastSeq
  readonly #lastTurnEvent
  readonly #insert
  readonly #moveEnd
  readonly #draft
  readonly #timeBefore

  constructor(db: Database.Database, past: PastDamage = read => read()) {
    this.#past = past
    this.#end = db.prepare<[number], number>('SELECT end_seq FROM session WHERE key = ?').pluck()
    this.#session = db.prepare<[string], SessionRow>(
      `SELECT ${SESSION_COLUMNS} FROM session s WHERE s.id = ? AND s.trashed_at IS NULL`,
    )
    this.#key = db.prepare<[string], number>('SELECT key FROM session WHERE id = ?').pluck()
    this.#events = db
      .prepare<[number, number, number], EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM event WHERE session_key = ? AND seq >= ? ORDER BY seq LIMIT ?`,
      )
      .raw()
    this.#eventsBackwards = db
      .prepare<[number, number, number], EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM event WHERE session_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
      )
      .raw()
    this.#raw = db.prepare<[number, number, number], RawRow>(
      `SELECT seq, CAST(type AS TEXT) AS type, substr(CAST(data AS TEXT), 1, ${RAW_LENGTH}) AS text FROM event
       WHERE session_key = ? AND seq >= ? ORDER BY seq LIMIT ?`,
    )
    this.#lastSeq = db.prepare<[number], unknown>('SELECT max(seq) FROM event WHERE session_key = ?').pluck()
    this.#lastTurnEvent = db
      .prepare<[number, number], [seq: number, type: string]>(
        `SELECT seq, type FROM event WHERE session_key = ? AND seq < ? AND type IN ('turn/start', 'turn/end')
         ORDER BY seq DESC LIMIT 1`,
      )
      .raw()
    this.#insert = db.prepare<[number, number, number, string, string, number | null]>(
      'INSERT INTO event (session_key, seq, time, type, data, ignorable) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#moveEnd = db.prepare<[number, number | null, number]>(
      'UPDATE session SET end_seq = ?, last_time = ? WHERE key = ?',
    )
    this.#timeBefore = db
      .prepare<[number, number], number>(
        'SELECT time FROM event WHERE session_key = ? AND seq < ? ORDER BY seq DESC LIMIT 1',
      )
      .pluck()
    this.#draft = db.prepare<[number], string>('SELECT data FROM draft WHERE session_key = ?').pluck()
  }

  /** @throws WorkbenchError `SESSION_NOT_FOUND` for an unknown or trashed id. */
  session(id: string): SessionRow {
    const row = this.#session.get(id)
    if (row === undefined) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
    return row
  }

  /** Also of a trashed session. @throws as `session`. */
  keyOf(id: string): number {
    const key = this.#key.get(id)
    if (key === undefined) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
    return key
  }

  find(id: string): SessionRow | undefined {
    return this.#session.get(id)
  }

  readHeader(row: SessionRow): ReadHeader {
    return readHeader(row)
  }

  /**
   * In order, a stretch at a time as they are asked for: much faster than one by one, and a long log is
   * never held whole. Rows whose seq is no number are not part of a log.
   */
  *events(key: number, fromSeq: number): Generator<EventRow, void> {
    for (let next = fromSeq; ; ) {
      const from = next
      const rows = this.#past<readonly EventRow[] | null>(
        () => this.#events.all(key, from, STRETCH),
        () => null,
      )
      if (rows === null) {
        yield* this.#readable(key, from)
        return
      }
      yield* rows
      const last = rows.at(-1)?.[0]
      if (rows.length < STRETCH || !isSeq(last)) return
      next = last + 1
    }
  }

  /** At most `limit` rows before `before`, in order. */
  eventsBefore(key: number, before: number, limit: number): EventRow[] {
    return this.#past(
      () => this.#eventsBackwards.all(key, before, limit).reverse(),
      () => this.#readableBefore(key, before, limit),
    )
  }

  /** What is on unreadable pages is passed over: it shows as a gap. */
  #readable(key: number, fromSeq: number): Generator<EventRow> {
    return walkRows(
      (from, limit) => this.#events.all(key, Math.max(from, fromSeq), limit),
      row => row[0],
      this.#end.get(key) ?? null,
    )
  }

  #readableBefore(key: number, before: number, limit: number): EventRow[] {
    const found: EventRow[] = []
    const end = Math.min(before, Math.max(before - MOST_PROBES, this.#end.get(key) ?? before))
    for (let seq = end - 1; seq >= Math.max(0, end - MOST_PROBES) && found.length < limit; seq -= 1) {
      const rows = this.#past<readonly EventRow[]>(
        () => this.#events.all(key, seq, 1),
        () => [],
      )
      found.push(...rows.filter(row => row[0] === seq))
    }
    return found.reverse()
  }

  raw(key: number, fromSeq: number, limit: number): RawRow[] {
    return this.#raw.all(key, fromSeq, limit)
  }

  /** The seq after the last row, which a damaged record may state differently. */
  rowsEnd(key: number): number {
    const last = this.#past<unknown>(
      () => this.#lastSeq.get(key),
      () => null,
    )
    return isSeq(last) ? last + 1 : 0
  }

  /** Where the turn that is open before `end` began, `null` when none is. By index. */
  openTurnStart(key: number, end: number): number | null {
    const last = this.#past(
      () => this.#lastTurnEvent.get(key, end),
      () => this.#lastTurnEventRead(key, end),
    )
    return last?.[1] === 'turn/start' ? last[0] : null
  }

  /** Without the index. */
  #lastTurnEventRead(key: number, end: number): [seq: number, type: string] | undefined {
    let found: [seq: number, type: string] | undefined
    for (const [seq, , type] of this.events(key, 0)) {
      if (!isSeq(seq) || seq >= end) break
      if (type === 'turn/start' || type === 'turn/end') found = [seq, type]
    }
    return found
  }

  draft(key: number): Draft | null {
    const text = this.#past(
      () => this.#draft.get(key),
      () => undefined,
    )
    return readDraft(text)
  }

  insert(key: number, { firstSeq, times, types, texts, ignorable }: EncodedEvents): void {
    const skippable = new Set(ignorable)
    for (const [index, text] of texts.entries()) {
      const mark = skippable.has(index) ? 1 : null
      this.#insert.run(key, firstSeq + index, times[index] ?? 0, types[index] ?? '', text, mark)
    }
    this.#moveEnd.run(firstSeq + texts.length, times.at(-1) ?? null, key)
  }

  /** Ends the log at `fromSeq` plus `events`, which may be none. */
  append(key: number, fromSeq: number, events: readonly StoredEvent[]): void {
    if (events.length === 0) {
      this.#moveEnd.run(fromSeq, this.#timeBefore.get(key, fromSeq) ?? null, key)
      return
    }
    this.insert(key, {
      firstSeq: fromSeq,
      times: events.map(({ time }) => time),
      types: events.map(({ type }) => type),
      texts: events.map(({ data }) => JSON.stringify(data)),
      ignorable: [],
    })
  }
}
