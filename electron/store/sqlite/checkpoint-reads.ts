import type Database from 'better-sqlite3'
import { type CheckpointRow, viewCheckpointRow } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { FACT_KEYS, FACTS_KEY, factsOf } from '#shared/subagent/facts.ts'
import { asReadCold } from '../cold-values.ts'
import { isSeq } from '../event-rows.ts'
import type { CheckpointedValues } from '../persistence.ts'
import { type Answer, answerInPieces } from '../wire.ts'

type StoredRow = readonly [key: string, stateVersion: number, seq: number, state: string]
type Head = readonly [
  sessionKey: number,
  id: string,
  facts: string,
  faults: string,
  lastSeq: number | null,
  lastDescriptorSeq: number | null,
]
type ListedRow = readonly [sessionKey: number, key: string, stateVersion: number, seq: number, state: string]

const IDENTITY_KEY = 'subagent'

/** Reading stored fold shortcuts. Nothing here trusts them: what does not fit is as good as absent. */
export class CheckpointReads {
  readonly #units: ReadonlyMap<string, Unit>
  readonly #facts
  readonly #rows
  readonly #heads
  readonly #listed
  readonly #asking
  readonly #dropRows
  readonly #drop

  constructor(db: Database.Database, units: readonly Unit[]) {
    this.#units = new Map(units.map(unit => [unit.key, unit]))
    this.#facts = db.prepare<[number], string>('SELECT facts FROM checkpoint WHERE session_key = ?').pluck()
    this.#rows = db
      .prepare<[number], StoredRow>(
        'SELECT key, state_version, seq, state FROM checkpoint_row WHERE session_key = ?',
      )
      .raw()
    this.#heads = db
      .prepare<[string], Head>(
        `SELECT s.key, s.id, c.facts, c.faults,
           (SELECT min(s.end_seq - 1, max(seq)) FROM event WHERE session_key = s.key),
           (SELECT max(seq) FROM event WHERE session_key = s.key AND type = 'subagent/descriptor')
         FROM (SELECT DISTINCT value AS id FROM json_each(?)) wanted
         JOIN session s ON s.id = wanted.id AND s.trashed_at IS NULL
         JOIN checkpoint c ON c.session_key = s.key`,
      )
      .raw()
    this.#listed = db
      .prepare<[string, string], ListedRow>(
        `SELECT r.session_key, r.key, r.state_version, r.seq, r.state
         FROM json_each(?) wanted JOIN checkpoint_row r
           ON r.session_key = wanted.value AND r.key IN (SELECT value FROM json_each(?))`,
      )
      .raw()
    this.#asking = db
      .prepare<[], string>(
        `SELECT id FROM session s WHERE trashed_at IS NULL AND key IN (
           SELECT session_key FROM checkpoint_row WHERE key = 'approvals' AND state <> '[]'
           UNION
           SELECT asked.session_key FROM event asked
             LEFT JOIN checkpoint_row r ON r.session_key = asked.session_key AND r.key = 'approvals'
             WHERE asked.type = 'approval/asked' AND asked.seq > coalesce(r.seq, -1)
         ) ORDER BY created_at, id`,
      )
      .pluck()
    this.#dropRows = db.prepare<[number]>('DELETE FROM checkpoint_row WHERE session_key = ?')
    this.#drop = db.prepare<[number]>('DELETE FROM checkpoint WHERE session_key = ?')
  }

  read(
    ids: readonly SessionId[],
    keys: readonly string[],
  ): Answer<{ sessions: readonly CheckpointedValues[] }> {
    const heads = this.#heads.all(JSON.stringify(ids))
    const rows = new Map<number, ListedRow[]>(heads.map(([sessionKey]) => [sessionKey, []]))
    const wanted = new Set(keys)
    const read = wanted.has(FACTS_KEY) ? [...keys, ...FACT_KEYS] : keys
    for (const row of this.#listed.all(JSON.stringify([...rows.keys()]), JSON.stringify(read))) {
      rows.get(row[0])?.push(row)
    }
    const texts = this.#allValues(heads, rows, wanted)
    return answerInPieces<{ sessions: readonly CheckpointedValues[] }, 'sessions'>({}, 'sessions', texts)
  }

  *#allValues(
    heads: readonly Head[],
    rows: ReadonlyMap<number, ListedRow[]>,
    wanted: ReadonlySet<string>,
  ): Generator<string> {
    for (const head of heads) {
      const faults = readFaults(head[3])
      if (faults !== null) yield this.#valuesOf(head, faults, rows.get(head[0]) ?? [], wanted)
    }
  }

  /** Rows that fit this life of the id and a log of `end` events. */
  rowsOf(key: number, header: SessionHeader, end: number): CheckpointRow[] {
    if (this.#facts.get(key) !== lifecycleFacts(header)) return []
    return this.#rows.all(key).flatMap(row => this.#usable(row, end - 1) ?? [])
  }

  /** Sessions that may wait for a person: by their checkpoint, or by a question newer than it. By indexes alone. */
  askingIds(): string[] {
    return this.#asking.all()
  }

  drop(key: number): void {
    this.#dropRows.run(key)
    this.#drop.run(key)
  }

  #valuesOf(
    [, sessionId, facts, , lastSeq, lastDescriptorSeq]: Head,
    faults: readonly unknown[],
    rows: readonly ListedRow[],
    wanted: ReadonlySet<string>,
  ): string {
    const values: string[] = []
    const published: Record<string, Json> = {}
    let subagentState: unknown = null
    let asOfSeq = Number.POSITIVE_INFINITY
    for (const [, key, stateVersion, seq, state] of rows) {
      const row = this.#usable([key, stateVersion, seq, state], lastSeq ?? -1)
      const unit = this.#units.get(key)
      if (row === null || unit === undefined) continue
      const value = viewCheckpointRow(unit, row)
      if (unit.view !== undefined && value === undefined) continue
      if (value !== undefined) {
        published[key] = value
        if (wanted.has(key)) values.push(`${JSON.stringify(key)}:${this.#textOf(unit, row, state, value)}`)
      }
      if (key === IDENTITY_KEY) subagentState = row.state
      asOfSeq = Math.min(asOfSeq, seq)
    }
    // A session that nobody hosts: its facts are read cold.
    if (wanted.has(FACTS_KEY)) {
      values.push(`${JSON.stringify(FACTS_KEY)}:${JSON.stringify(factsOf({}, published, 'inactive'))}`)
    }
    const rest = {
      sessionId,
      facts,
      faults,
      subagentState,
      asOfSeq: Number.isFinite(asOfSeq) ? asOfSeq : -1,
      lastDescriptorSeq,
    }
    return `${JSON.stringify(rest).slice(0, -1)},"values":{${values.join(',')}}}`
  }

  /** A view that is its state is handed on as it is stored: it was checked, and need not be written again. */
  #textOf(unit: Unit, row: CheckpointRow, text: string, value: Json): string {
    const isState = unit.viewSchema === unit.stateSchema && unit.view?.(row.state) === row.state
    return isState ? text : JSON.stringify(asReadCold(unit.key, value))
  }

  /** `null` for a row of an unknown unit, another state version, broken JSON, or one past the log's end. */
  #usable([key, stateVersion, seq, text]: StoredRow, lastSeq: number): CheckpointRow | null {
    const unit = this.#units.get(key)
    if (unit === undefined || unit.stateVersion !== stateVersion || !isWatermark(seq) || seq > lastSeq)
      return null
    try {
      return { key, stateVersion, seq, state: JSON.parse(text) }
    } catch {
      // Broken JSON: a checkpoint is never authoritative, so the row simply does not count.
      return null
    }
  }
}

/** `null` for what cannot be understood: that checkpoint is as good as absent, and costs no other its own. */
function readFaults(text: string): readonly unknown[] | null {
  try {
    const faults: unknown = JSON.parse(text)
    return Array.isArray(faults) ? faults : null
  } catch {
    // Broken JSON, see above.
    return null
  }
}

/** −1 stands for "before any event". */
function isWatermark(seq: unknown): boolean {
  return seq === -1 || isSeq(seq)
}
