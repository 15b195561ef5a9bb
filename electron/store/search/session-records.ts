import type Database from 'better-sqlite3'
import type { EventRow } from '../event-rows.ts'
import type { LogFacts } from './log-source.ts'

/** What the index knows of one log. */
export interface SessionRecord {
  /** Its number in the index, never used again for anything else. */
  readonly no: number
  readonly id: string
  readonly created_at: number
  readonly cuts: number
  /** The first event that is the session's own. */
  readonly start: number
  /** The first event that is not indexed yet. */
  readonly next: number
  readonly end_seq: number
  readonly last_time: number
  /** `markOf` the event before `next`; `null`: none was seen there. */
  readonly mark: string | null
}

export interface Progress {
  readonly next: number
  readonly mark: string | null
}

export interface Totals {
  readonly indexedEvents: number
  readonly totalEvents: number
}

/** The sessions of the index and how far each is indexed. A log that became another one gets another number. */
export class SessionRecords {
  readonly #byId
  readonly #byNo
  readonly #insert
  readonly #grow
  readonly #drop
  readonly #behind
  readonly #advance
  readonly #fail
  readonly #page
  readonly #totals

  constructor(db: Database.Database) {
    this.#byId = db.prepare<[string], SessionRecord>('SELECT * FROM session WHERE id = ?')
    this.#byNo = db.prepare<[number], string>('SELECT id FROM session WHERE no = ?').pluck()
    this.#page = db.prepare<[number, number], SessionRecord>(
      'SELECT * FROM session WHERE no > ? ORDER BY no LIMIT ?',
    )
    this.#insert = db.prepare<[string, number, number, number, number, number, number]>(
      'INSERT INTO session (id, created_at, cuts, start, next, end_seq, last_time) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#grow = db.prepare<[number, number, number]>(
      'UPDATE session SET end_seq = ?, last_time = ?, failed = 0 WHERE no = ?',
    )
    this.#drop = db.prepare<[number]>('DELETE FROM session WHERE no = ?')
    this.#behind = db.prepare<[number], SessionRecord>(
      'SELECT * FROM session WHERE next < end_seq AND failed = 0 ORDER BY last_time DESC LIMIT ?',
    )
    this.#advance = db.prepare<[number, string | null, number]>(
      'UPDATE session SET next = ?, mark = ? WHERE no = ?',
    )
    this.#fail = db.prepare<[number]>('UPDATE session SET failed = 1 WHERE no = ?')
    this.#totals = db.prepare<[], Totals>(
      `SELECT coalesce(sum(min(next, end_seq) - start), 0) AS indexedEvents,
              coalesce(sum(end_seq - start), 0) AS totalEvents FROM session WHERE end_seq > start`,
    )
  }

  /** Takes over what the log's record says now. True when texts of it must leave the index. */
  update(facts: LogFacts): boolean {
    const record = this.#byId.get(facts.id)
    if (record === undefined) {
      this.#add(facts)
      return false
    }
    if (isContinued(record, facts)) {
      if (record.end_seq !== facts.endSeq) this.#grow.run(facts.endSeq, facts.lastTime, record.no)
      return false
    }
    this.#drop.run(record.no)
    this.#add(facts)
    return true
  }

  /** Its texts must leave the index. */
  forget(record: SessionRecord): void {
    this.#drop.run(record.no)
  }

  find(id: string): SessionRecord | undefined {
    return this.#byId.get(id)
  }

  idOf(no: number): string | undefined {
    return this.#byNo.get(no)
  }

  page(afterNo: number, limit: number): SessionRecord[] {
    return this.#page.all(afterNo, limit)
  }

  /** Those with events that are not indexed, latest activity first. */
  behind(limit: number): SessionRecord[] {
    return this.#behind.all(limit)
  }

  advance(no: number, { next, mark }: Progress): void {
    this.#advance.run(next, mark, no)
  }

  /** It cannot be read: not tried again until it changes or the index is opened anew. */
  fail(no: number): void {
    this.#fail.run(no)
  }

  totals(): Totals {
    return this.#totals.get() ?? { indexedEvents: 0, totalEvents: 0 }
  }

  #add({ id, createdAt, cuts, seedLength, endSeq, lastTime }: LogFacts): void {
    this.#insert.run(id, createdAt, cuts, seedLength, seedLength, endSeq, lastTime)
  }
}

function isContinued(record: SessionRecord, facts: LogFacts): boolean {
  if (record.created_at !== facts.createdAt || record.cuts !== facts.cuts) return false
  if (record.start !== facts.seedLength || facts.endSeq < record.end_seq) return false
  return facts.endSeq > record.end_seq || facts.lastTime === record.last_time
}

/** What is behind the last indexed event must follow that very event: a restored backup may have gone another way. */
export function markOf([seq, time, type, data]: EventRow): string {
  const text = String(data)
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length && at < 2000; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return `${String(seq)} ${String(time)} ${String(type)} ${text.length} ${hash >>> 0}`
}
