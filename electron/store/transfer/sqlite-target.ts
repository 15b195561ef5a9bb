import { rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { EventRow } from '../event-rows.ts'
import { isNothing } from '../jsonl/line.ts'
import { openDatabase } from '../sqlite/database.ts'
import {
  type CarriedSession,
  isEmptyRow,
  type LostPart,
  type SessionSource,
  type SessionTarget,
} from './carried.ts'
import { EARLIER_ACT, TORN_TYPE } from './sqlite-source.ts'

const NOTHING = Buffer.alloc(0)

/** Makes a database. Each session is a transaction. */
export class SqliteTarget implements SessionTarget {
  readonly #file: string
  readonly #db: Database.Database
  /** Outputs that sessions share, by what tells them. */
  readonly #outputs = new Map<string, number>()
  readonly #archived: { readonly id: string; readonly act: string }[] = []

  constructor(file: string) {
    this.#file = file
    removeDatabase(file)
    this.#db = openDatabase(file).db
    // It is no one's yet: what a kill leaves of it is made anew, and `finish` waits for the disk once.
    this.#db.pragma('synchronous = OFF')
  }

  add(session: CarriedSession, source: SessionSource): void {
    this.#db.transaction(() => this.#add(session, source)).immediate()
  }

  finish(units: string | undefined): void {
    const db = this.#db
    const archive = db.prepare<{ id: string; act: string }>(
      `UPDATE session SET archived = CASE @act WHEN '${EARLIER_ACT}' THEN 1
         ELSE coalesce((SELECT -key FROM session WHERE id = @act), 1) END WHERE id = @id`,
    )
    db.transaction(() => {
      for (const mark of this.#archived) archive.run(mark)
      if (units !== undefined) db.prepare(`INSERT INTO meta (key, value) VALUES ('units', ?)`).run(units)
    }).immediate()
    db.pragma('synchronous = FULL')
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  }

  abandon(): void {
    this.#db.close()
    removeDatabase(this.#file)
  }

  #add(session: CarriedSession, source: SessionSource): void {
    const { id, header, endSeq, cuts, trashed } = session
    const facts = [
      'version',
      'createdAt',
      'cwd',
      'parentSession',
      'seedLength',
      'origin',
      'delegationDepth',
      'preset',
    ]
    const values = facts.map(name => column(header[name]))
    // The record of a header that says no version says so as well.
    if (values[0] === null) values[0] = ''
    if (values[1] === null) values[1] = ''
    const db = this.#db
    const key = Number(
      db
        .prepare(
          `INSERT INTO session (id, version, created_at, cwd, parent_session, seed_length, origin, delegation_depth,
             preset, end_seq, cuts, trashed_at, trashed_with) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(id, ...values, endSeq, cuts, trashed?.at ?? null, trashed?.with ?? null).lastInsertRowid,
    )
    if (session.archived !== null) this.#archived.push({ id, act: session.archived })
    this.#addRows(key, source.rows(id))
    if (session.draft !== null) db.prepare('INSERT INTO draft VALUES (?, ?)').run(key, session.draft)
    this.#addCheckpoint(key, session.checkpoint)
    for (const part of session.lost) this.#addLost(key, part)
    for (const { id: outputId, size, shared } of session.outputs) {
      const output = this.#outputs.get(shared) ?? this.#addOutput(size, shared, source.output(id, outputId))
      db.prepare('INSERT INTO output_ref (session_key, id, output_key) VALUES (?, ?, ?)').run(
        key,
        outputId,
        output,
      )
    }
  }

  #addRows(key: number, rows: Iterable<EventRow>): void {
    const insert = this.#db.prepare(
      'INSERT INTO event (session_key, seq, time, type, data, ignorable) VALUES (?, ?, ?, ?, ?, ?)',
    )
    let lastTime: number | null = null
    for (const row of rows) {
      if (isEmptyRow(row)) continue // it says where the log ended, and so does the record
      const [seq, time, type, data, ignorable] = row
      insert.run(key, seq, filled(time), filled(type), filled(data), column(ignorable))
      if (typeof time === 'number') lastTime = time
    }
    this.#db.prepare('UPDATE session SET last_time = ? WHERE key = ?').run(lastTime, key)
  }

  #addCheckpoint(key: number, checkpoint: CarriedSession['checkpoint']): void {
    if (checkpoint === null) return
    const { facts, faults, rows } = checkpoint
    this.#db
      .prepare('INSERT INTO checkpoint (session_key, facts, faults) VALUES (?, ?, ?)')
      .run(key, facts, faults)
    const insert = this.#db.prepare(
      'INSERT INTO checkpoint_row (session_key, key, state_version, seq, state) VALUES (?, ?, ?, ?, ?)',
    )
    for (const row of rows) insert.run(key, ...row)
  }

  #addLost(key: number, part: LostPart): void {
    const insert = this.#db.prepare(
      'INSERT INTO lost_event (session_key, seq, time, type, data, ignorable, lost_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    if (part.kind === 'bytes')
      insert.run(key, null, null, TORN_TYPE, Buffer.from(part.bytes), null, part.number)
    else for (const row of part.rows) insert.run(key, ...row.map(column), part.at)
  }

  #addOutput(size: number, shared: string, parts: Iterable<Uint8Array>): number {
    const key = Number(this.#db.prepare('INSERT INTO output (size) VALUES (?)').run(size).lastInsertRowid)
    const insert = this.#db.prepare('INSERT INTO output_part (output_key, start, bytes) VALUES (?, ?, ?)')
    let start = 0
    for (const part of parts) {
      insert.run(key, start, part)
      start += part.length
    }
    this.#outputs.set(shared, key)
    return key
  }
}

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}

/** A column that may not be empty takes no bytes instead, which no event has there either. */
function filled(value: unknown): unknown {
  return isNothing(value) ? NOTHING : column(value)
}

function column(value: unknown): unknown {
  if (value === undefined) return null
  return typeof value === 'boolean' ? Number(value) : value
}
