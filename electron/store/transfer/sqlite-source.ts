import type Database from 'better-sqlite3'
import { EVENT_COLUMNS, type EventRow, isSeq } from '../event-rows.ts'
import { openDatabase } from '../sqlite/database.ts'
import type { CarriedCheckpoint, CarriedOutput, CarriedSession, LostPart, SessionSource } from './carried.ts'

/** In the place of the act for what an earlier version archived. No session has such an id. */
export const EARLIER_ACT = '~earlier'
/** The type of a row that keeps a torn write's bytes. */
export const TORN_TYPE = 'torn'

const STRETCH = 500

interface StoredSession {
  readonly key: number
  readonly id: unknown
  readonly endSeq: unknown
  readonly cuts: unknown
  readonly archived: unknown
  readonly trashedAt: unknown
  readonly trashedWith: unknown
  readonly [column: string]: unknown
}

type LostRow = readonly [at: number, ...row: EventRow]

/** A database's sessions as its rows say. */
export class SqliteSource implements SessionSource {
  readonly left: string[] = []
  readonly #db: Database.Database
  readonly #rows

  constructor(file: string) {
    this.#db = openDatabase(file, { readOnly: true }).db
    this.#rows = this.#db
      .prepare<[string, number, number], EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM event WHERE session_key = (SELECT key FROM session WHERE id = ?)
           AND typeof(seq) = 'integer' AND seq >= ? ORDER BY seq LIMIT ?`,
      )
      .raw()
  }

  get units(): string | undefined {
    return this.#db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'units'`).pluck().get()
  }

  *sessions(): Generator<CarriedSession, void> {
    this.left.length = 0
    const sessions = this.#db.prepare<[], StoredSession>(
      `SELECT key, id, version, created_at AS createdAt, cwd, parent_session AS parentSession,
         seed_length AS seedLength, origin, delegation_depth AS delegationDepth, preset, end_seq AS endSeq, cuts,
         archived, trashed_at AS trashedAt, trashed_with AS trashedWith FROM session ORDER BY id`,
    )
    for (const session of sessions.all()) {
      const carried = this.#carried(session)
      if (typeof carried === 'string') this.left.push(carried)
      else yield carried
    }
  }

  *rows(id: string): Generator<EventRow, void> {
    for (let next = 0; ; ) {
      const rows = this.#rows.all(id, next, STRETCH)
      yield* rows
      const last = rows.at(-1)?.[0]
      if (rows.length < STRETCH || !isSeq(last)) return
      next = last + 1
    }
  }

  *output(id: string, outputId: string): Generator<Uint8Array, void> {
    const parts = this.#db
      .prepare<[string, string], [start: number, bytes: Uint8Array]>(
        `SELECT p.start, p.bytes FROM session s JOIN output_ref r ON r.session_key = s.key
         JOIN output_part p ON p.output_key = r.output_key WHERE s.id = ? AND r.id = ? ORDER BY p.start`,
      )
      .raw()
    let end = 0
    for (const [start, bytes] of parts.iterate(id, outputId)) {
      // A missing part reads as zeros, as ever: offsets stay true.
      if (start > end) yield new Uint8Array(start - end)
      yield bytes
      end = start + bytes.length
    }
  }

  close(): void {
    this.#db.close()
  }

  #carried(session: StoredSession): CarriedSession | string {
    const { key, id, endSeq, cuts, archived, trashedAt, trashedWith, ...columns } = session
    const facts = Object.entries({ ...columns, id }).filter(([, value]) => value !== null)
    if (typeof id !== 'string' || facts.some(([, value]) => typeof value === 'object')) {
      return `The session ${String(id)} has a header that only a database can hold.`
    }
    const strays = this.#strays(key)
    if (strays > 0) this.left.push(`${strays} rows of the session ${id} have no place in its log.`)
    return {
      id,
      header: Object.fromEntries(facts),
      endSeq: isSeq(endSeq) ? endSeq : 0,
      cuts: isSeq(cuts) ? cuts : 0,
      archived: this.#actOf(archived),
      trashed: typeof trashedAt === 'number' ? { at: trashedAt, with: String(trashedWith ?? id) } : null,
      draft: this.#one(key, 'SELECT data FROM draft WHERE session_key = ?'),
      checkpoint: this.#checkpoint(key),
      lost: this.#lost(key),
      outputs: this.#outputs(key),
    }
  }

  #actOf(archived: unknown): string | null {
    if (archived === 0 || archived === null) return null
    const act = typeof archived === 'number' && archived < 0 ? -archived : null
    return (act === null ? null : this.#one(act, 'SELECT id FROM session WHERE key = ?')) ?? EARLIER_ACT
  }

  #checkpoint(key: number): CarriedCheckpoint | null {
    const heads = this.#db.prepare<[number], { facts: string; faults: string }>(
      'SELECT facts, faults FROM checkpoint WHERE session_key = ?',
    )
    const rows = this.#db
      .prepare<[number], [string, number, number, string]>(
        'SELECT key, state_version, seq, state FROM checkpoint_row WHERE session_key = ? ORDER BY key',
      )
      .raw()
    const head = heads.get(key)
    return head === undefined || !isArray(head.faults) ? null : { ...head, rows: rows.all(key) }
  }

  #lost(key: number): LostPart[] {
    const rows = this.#db
      .prepare<[number], LostRow>(
        `SELECT lost_at, ${EVENT_COLUMNS} FROM lost_event WHERE session_key = ? ORDER BY lost_at, rowid`,
      )
      .raw()
    const parts = new Map<number, EventRow[]>()
    const torn: LostPart[] = []
    for (const [at, ...row] of rows.all(key)) {
      const [seq, , type, data] = row
      if (seq === null && type === TORN_TYPE && data instanceof Uint8Array) {
        torn.push({ kind: 'bytes', number: at, bytes: data })
      } else {
        parts.set(at, [...(parts.get(at) ?? []), row])
      }
    }
    return [...[...parts].map(([at, lost]): LostPart => ({ kind: 'rows', at, rows: lost })), ...torn]
  }

  #outputs(key: number): CarriedOutput[] {
    const outputs = this.#db.prepare<[number], { id: string; size: number; shared: number }>(
      `SELECT r.id, o.size, o.key AS shared FROM output_ref r JOIN output o ON o.key = r.output_key
       WHERE r.session_key = ? ORDER BY r.id`,
    )
    return outputs.all(key).map(output => ({ ...output, shared: String(output.shared) }))
  }

  /** Rows whose place in the log is no number: nothing ever reads them. */
  #strays(key: number): number {
    const strays = this.#db.prepare<[number], number>(
      `SELECT count(*) FROM event WHERE session_key = ? AND (typeof(seq) <> 'integer' OR seq < 0)`,
    )
    return strays.pluck().get(key) ?? 0
  }

  #one(key: number, sql: string): string | null {
    const value = this.#db.prepare<[number], unknown>(sql).pluck().get(key)
    return typeof value === 'string' ? value : null
  }
}

function isArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    // A checkpoint that cannot be understood is as good as absent.
    return false
  }
}
