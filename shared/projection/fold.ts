import type { StoredEvent } from '../session/events.ts'
import type { Json } from '../session/json.ts'
import { Cell } from './cell.ts'
import { type CheckpointRow, stateOfRow } from './checkpoint-row.ts'
import type { Unit, UnitContext } from './unit.ts'
import { planOf, type UnitPlan } from './unit-plan.ts'

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

const NONE: readonly string[] = []

/**
 * The one fold authority: live sessions, cold folds in the store thread and history snapshots all drive their
 * units through it. A unit or a schema that throws is quarantined for this log and no other.
 */
export class Fold {
  readonly #plan: UnitPlan
  readonly #ctx: UnitContext
  readonly #cells: Cell[]
  #asOfSeq = -1
  #latest: FoldSnapshot | null = null

  /** @param ctx frozen from here on: every unit is shown it. */
  constructor(units: readonly Unit[], ctx: UnitContext) {
    this.#plan = planOf(units)
    this.#ctx = Object.freeze(ctx)
    this.#cells = this.#plan.beginnings.map(beginning => new Cell(beginning))
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
    for (const row of rows) fold.#takeOver(row, endSeq)
    if (fold.#cells.length > 0) fold.#asOfSeq = Math.min(...fold.#cells.map(({ seq }) => seq))
    return fold
  }

  /** The first seq that some unit has not seen: the next one to feed. */
  get floor(): number {
    return this.#asOfSeq + 1
  }

  get asOfSeq(): number {
    return this.#asOfSeq
  }

  /**
   * Takes the event at `floor`; one before it is not taken twice.
   * @returns the keys whose state changed, or which broke, on this event.
   */
  apply(event: StoredEvent): readonly string[] {
    const { seq } = event
    if (seq <= this.#asOfSeq) return NONE
    this.#asOfSeq = seq
    let changed = NONE
    for (const place of this.#plan.interestedIn(event.type)) {
      const cell = this.#cells[place]
      if (cell === undefined || seq <= cell.seq || !cell.apply(event, this.#ctx)) continue
      changed = [...changed, cell.unit.key]
    }
    return changed
  }

  /** The published value of one key, touching no other unit. `null` for a fault, `undefined` for no such key. */
  valueOf(key: string): Json | undefined {
    return this.#cellOf(key)?.value()
  }

  /** Of one key, checked and frozen as its value is. */
  stateOf(key: string): unknown {
    const cell = this.#cellOf(key)
    cell?.value()
    return cell?.state
  }

  /** The same one until the next event: nothing else changes a value, once all have been looked at. */
  snapshot(): FoldSnapshot {
    if (this.#latest?.asOfSeq === this.#asOfSeq) return this.#latest
    const values: Record<string, Json> = {}
    for (const cell of this.#cells) {
      const value = cell.value()
      if (cell.unit.view !== undefined) values[cell.unit.key] = value
    }
    this.#latest = { asOfSeq: this.#asOfSeq, values: Object.freeze(values), faults: this.faults() }
    return this.#latest
  }

  faults(): UnitFault[] {
    return this.#cells.flatMap(({ unit: { key }, fault }) =>
      fault === null ? [] : [{ key, message: fault }],
    )
  }

  /** One row per healthy unit. All are looked at first, so that `faults` afterwards names every one that is not. */
  checkpoint(): CheckpointRow[] {
    for (const cell of this.#cells) cell.value()
    return this.#cells
      .filter(({ fault }) => fault === null)
      .map(({ unit: { key, stateVersion }, seq, state }) => ({
        key,
        stateVersion,
        seq: Math.max(seq, this.#asOfSeq),
        state,
      }))
  }

  #cellOf(key: string): Cell | undefined {
    const place = this.#plan.placeOf(key)
    return place === undefined ? undefined : this.#cells[place]
  }

  #takeOver(row: CheckpointRow, endSeq: number): void {
    const place = this.#plan.placeOf(row.key)
    if (place === undefined || !Number.isSafeInteger(row.seq) || row.seq < -1 || row.seq > endSeq) return
    const unit = this.#plan.units[place]
    const usable = unit && stateOfRow(unit, row)
    if (unit && usable) this.#cells[place] = new Cell({ unit, ...usable, fault: null, seq: row.seq })
  }
}
