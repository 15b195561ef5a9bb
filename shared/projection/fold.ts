import { messageOf } from '../errors.ts'
import type { SessionEvent, StoredEvent } from '../session/events.ts'
import { type Json, lossOf } from '../session/json.ts'
import type { Unit, UnitContext } from './unit.ts'

/** A stored fold shortcut of one unit: its state after the event at `seq` (−1: before any). */
export interface CheckpointRow {
  readonly key: string
  readonly stateVersion: number
  readonly seq: number
  readonly state: unknown
}

/** A unit that threw on this log: it reads `null` from then on and disturbs nothing else. */
export interface UnitFault {
  readonly key: string
  readonly message: string
}

export interface FoldSnapshot {
  /** Seq of the last event folded, −1 for none. */
  readonly asOfSeq: number
  /** Every published key; `null` for a quarantined unit. */
  readonly values: Readonly<Record<string, Json>>
  readonly faults: readonly UnitFault[]
}

interface Cell {
  readonly unit: Unit
  state: unknown
  seq: number
  fault: string | null
  /** The value last published, and the state that it came from. */
  viewed: { readonly state: unknown; readonly value: Json } | null
}

/**
 * The one fold authority: live sessions, cold folds in the store thread and history snapshots all drive their
 * units through it. Every call into a unit or a schema is contained: a throw quarantines that unit for this
 * log and no other.
 */
export class Fold {
  readonly #ctx: UnitContext
  readonly #cells = new Map<string, Cell>()
  #asOfSeq = -1

  constructor(units: readonly Unit[], ctx: UnitContext) {
    this.#ctx = ctx
    for (const unit of units) this.#cells.set(unit.key, freshCell(unit))
  }

  /**
   * A fold that takes over each row that is usable: same state version, valid state, not past `endSeq`. The
   * others start from nothing. Feed it the events from `floor` on.
   */
  static restore(
    units: readonly Unit[],
    ctx: UnitContext,
    rows: readonly CheckpointRow[],
    endSeq: number,
  ): Fold {
    const fold = new Fold(units, ctx)
    for (const row of rows) {
      const cell = fold.#cells.get(row.key)
      if (cell === undefined || row.stateVersion !== cell.unit.stateVersion) continue
      if (!Number.isSafeInteger(row.seq) || row.seq < -1 || row.seq > endSeq) continue
      const state = parseState(cell.unit, row.state)
      if (state === undefined) continue
      cell.state = state.value
      cell.seq = row.seq
    }
    fold.#asOfSeq = fold.floor - 1
    return fold
  }

  /** The first seq that some unit has not seen. */
  get floor(): number {
    let lowest = Number.POSITIVE_INFINITY
    for (const cell of this.#cells.values()) lowest = Math.min(lowest, cell.seq + 1)
    return Number.isFinite(lowest) ? lowest : 0
  }

  get asOfSeq(): number {
    return this.#asOfSeq
  }

  /** @returns the keys whose state changed, or which broke, on this event. */
  apply(stored: StoredEvent): readonly string[] {
    this.#asOfSeq = stored.seq
    const changed: string[] = []
    for (const cell of this.#cells.values()) {
      if (stored.seq <= cell.seq) continue
      if (cell.fault === null && this.#applyTo(cell, stored)) changed.push(cell.unit.key)
      cell.seq = stored.seq
    }
    return changed
  }

  /** The published value of one key, touching no other unit. `null` for a fault, `undefined` for no such key. */
  valueOf(key: string): Json | undefined {
    const cell = this.#cells.get(key)
    return cell === undefined ? undefined : viewOf(cell)
  }

  stateOf(key: string): unknown {
    return this.#cells.get(key)?.state
  }

  snapshot(): FoldSnapshot {
    const values: Record<string, Json> = {}
    for (const cell of this.#cells.values()) {
      if (cell.unit.view !== undefined) values[cell.unit.key] = viewOf(cell)
    }
    return { asOfSeq: this.#asOfSeq, values, faults: this.faults() }
  }

  faults(): UnitFault[] {
    return [...this.#cells.values()].flatMap(cell =>
      cell.fault === null ? [] : [{ key: cell.unit.key, message: cell.fault }],
    )
  }

  /**
   * One row per healthy unit. Every view runs first, so that `faults` afterwards names those that break there too.
   * States are shared, not copied: whoever stores them serialises at once.
   */
  checkpoint(): CheckpointRow[] {
    for (const cell of this.#cells.values()) viewOf(cell)
    return [...this.#cells.values()]
      .filter(cell => cell.fault === null)
      .map(({ unit, seq, state }) => ({ key: unit.key, stateVersion: unit.stateVersion, seq, state }))
  }

  #applyTo(cell: Cell, stored: StoredEvent): boolean {
    try {
      // Units are written against the typed union and promise to read defensively: see `Unit`.
      const next = settled(cell.unit.apply(cell.state, stored as SessionEvent, this.#ctx))
      if (next === cell.state) return false
      cell.state = next
    } catch (error) {
      cell.fault = messageOf(error)
    }
    return true
  }
}

/** The published value that one stored row gives, or `undefined` when it is not usable. Never throws. */
export function viewCheckpointRow(unit: Unit, row: CheckpointRow): Json | undefined {
  if (row.stateVersion !== unit.stateVersion || unit.view === undefined) return undefined
  const state = parseState(unit, row.state)
  if (state === undefined) return undefined
  try {
    const value = unit.view(state.value)
    // A view that is the state itself was checked a line above.
    const isChecked = value === state.value && unit.viewSchema === unit.stateSchema
    return (isChecked || unit.viewSchema === undefined ? value : unit.viewSchema.parse(value)) as Json
  } catch {
    // A view or a schema that throws: the row is as good as absent.
    return undefined
  }
}

function freshCell(unit: Unit): Cell {
  const cell: Cell = { unit, state: null, seq: -1, fault: null, viewed: null }
  try {
    cell.state = settled(unit.init())
  } catch (error) {
    cell.fault = messageOf(error)
  }
  return cell
}

/**
 * Views are plain JSON: their schema says so, or they are looked through. A view is pure, so one state is looked at
 * once, however often its value is read.
 */
function viewOf(cell: Cell): Json {
  const { unit, state, viewed } = cell
  if (cell.fault !== null || unit.view === undefined) return null
  if (viewed !== null && viewed.state === state) return viewed.value
  try {
    const raw = settled(unit.view(state))
    const value = unit.viewSchema === undefined ? plain(raw) : (unit.viewSchema.parse(raw) as Json)
    cell.viewed = { state, value }
    return value
  } catch (error) {
    cell.fault = messageOf(error)
    return null
  }
}

/** @throws Error for a promise: units are synchronous. Its own end is of no interest, and must not go unhandled. */
function settled<T>(value: T): T {
  if (!(value instanceof Promise)) return value
  value.catch(() => {})
  throw new Error('a unit answered with a promise')
}

function plain(value: unknown): Json {
  const loss = lossOf(value)
  if (loss !== null) throw new Error(`a view is not plain JSON: ${loss}`)
  return value as Json
}

/** Boxed, since a state may itself be `undefined`-like. */
function parseState(unit: Unit, state: unknown): { readonly value: unknown } | undefined {
  try {
    const parsed = unit.stateSchema.safeParse(state)
    return parsed.success ? { value: parsed.data } : undefined
  } catch {
    // A schema that throws instead of answering: the row is as good as absent.
    return undefined
  }
}
