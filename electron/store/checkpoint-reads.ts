import { type CheckpointRow, viewCheckpointRow } from '#shared/projection/checkpoint-row.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { FACT_KEYS, FACTS_KEY, factsOf } from '#shared/subagent/facts.ts'
import { asReadCold } from './cold-values.ts'
import { isSeq } from './event-rows.ts'
import type { CheckpointedValues } from './persistence.ts'
import { type Answer, answer, answerInPieces, type EncodedCheckpoint } from './wire.ts'

/** As it is stored: the state is JSON text, and nothing of it is checked. */
export type StoredCheckpointRow = readonly [key: string, stateVersion: number, seq: number, state: string]
export type CheckpointHead = readonly [
  sessionKey: number,
  id: string,
  facts: string,
  /** JSON text. */
  faults: string,
  /** Of the last event that both the record and the log have; `null` for an empty log. */
  lastSeq: number | null,
  lastDescriptorSeq: number | null,
]
export type ListedCheckpointRow = readonly [sessionKey: number, ...row: StoredCheckpointRow]

/** One backend's stored fold shortcuts. */
export interface CheckpointRows {
  /** Those of the sessions that have one and are not trashed, each once. */
  heads(ids: readonly string[]): CheckpointHead[]
  /** Rows with one of `names`, of sessions whose head was handed out. */
  listed(sessionKeys: readonly number[], names: readonly string[]): Iterable<ListedCheckpointRow>
  facts(sessionKey: number): string | undefined
  rows(sessionKey: number): StoredCheckpointRow[]
  /** Sessions that may wait for a person: by their checkpoint, or by a question newer than it. No log is read. */
  askingIds(): string[]
  /** Every listed session, latest activity first. */
  latest(): string[]
  /** Those among them whose checkpoint is missing or behind their log's end. */
  behind(): string[]
  /** What `setFoldedBy` was last told. */
  foldedBy(): string | undefined
  setFoldedBy(fingerprint: string): void
  drop(sessionKey: number): void
  /** All rows of a session are replaced together. A session that is gone is skipped. */
  write(checkpoints: readonly EncodedCheckpoint[]): void
}

const AT_A_TIME = 64
const IDENTITY_KEY = 'subagent'
const TITLE_KEY = 'title'

/** Reading stored fold shortcuts. Nothing here trusts them: what does not fit is as good as absent. */
export class CheckpointReads {
  readonly #units: ReadonlyMap<string, Unit>
  readonly #rows: CheckpointRows
  readonly #pause: () => void

  /** `pause` is called now and then while many are read: what must not wait for the end of it can be done. */
  constructor(rows: CheckpointRows, units: readonly Unit[], pause: () => void = () => {}) {
    this.#rows = rows
    this.#pause = pause
    this.#units = new Map(units.map(unit => [unit.key, unit]))
  }

  /** Some sessions at a time: the main thread parses the first while the next are read, and no list is held whole. */
  read(
    ids: readonly SessionId[],
    keys: readonly string[],
  ): Answer<{ sessions: readonly CheckpointedValues[] }> {
    const texts = this.#texts([...new Set(ids)], new Set(keys))
    return answerInPieces<{ sessions: readonly CheckpointedValues[] }, 'sessions'>({}, 'sessions', texts)
  }

  *#texts(ids: readonly SessionId[], wanted: ReadonlySet<string>): Generator<string> {
    const names = wanted.has(FACTS_KEY) ? [...wanted, ...FACT_KEYS] : [...wanted]
    for (let next = 0; next < ids.length; next += AT_A_TIME) {
      const heads = this.#rows.heads(ids.slice(next, next + AT_A_TIME))
      const rows = new Map<number, ListedCheckpointRow[]>(heads.map(([key]) => [key, []]))
      for (const row of this.#rows.listed([...rows.keys()], names)) rows.get(row[0])?.push(row)
      for (const head of heads) {
        const faults = readFaults(head[3])
        if (faults !== null) yield this.#valuesOf(head, faults, rows.get(head[0]) ?? [], wanted)
      }
      this.#pause()
    }
  }

  /** Rows that fit this life of the id and a log of `end` events. */
  rowsOf(key: number, header: SessionHeader, end: number): CheckpointRow[] {
    if (this.#rows.facts(key) !== lifecycleFacts(header)) return []
    return this.#rows.rows(key).flatMap(row => this.#usable(row, end - 1) ?? [])
  }

  /** A child's label or a root's title, as far as a checkpoint of a log of `end` events tells it. */
  labelOf(key: number, end: number): string | null {
    const rows = this.#rows.rows(key).flatMap(row => this.#usable(row, end - 1) ?? [])
    for (const unitKey of [IDENTITY_KEY, TITLE_KEY]) {
      const row = rows.find(one => one.key === unitKey)
      const unit = this.#units.get(unitKey)
      const value = row && unit ? viewCheckpointRow(unit, row) : undefined
      if (typeof value === 'string') return value
      if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
      if (typeof value['label'] === 'string') return value['label']
    }
    return null
  }

  /** Sessions that may wait for a person: by their checkpoint, or by a question newer than it. No log is read. */
  askingIds(): string[] {
    return this.#rows.askingIds()
  }

  drop(key: number): void {
    this.#rows.drop(key)
  }

  #valuesOf(
    [, sessionId, facts, , lastSeq, lastDescriptorSeq]: CheckpointHead,
    faults: readonly unknown[],
    rows: readonly ListedCheckpointRow[],
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
  #usable([key, stateVersion, seq, text]: StoredCheckpointRow, lastSeq: number): CheckpointRow | null {
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

export function createCheckpointWrites(rows: CheckpointRows) {
  return {
    writeCheckpoints(checkpoints: readonly EncodedCheckpoint[]): Answer<null> {
      rows.write(checkpoints)
      return answer(null)
    },
  }
}
