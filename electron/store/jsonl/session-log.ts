import { fstatSync, ftruncateSync } from 'node:fs'
import { join } from 'node:path'
import type { EventRow } from '../event-rows.ts'
import type { Encoding } from './encoding.ts'
import type { GroupCommit, Written } from './group-commit.ts'
import { IndexFile } from './index-file.ts'
import { type IndexedRow, LogIndex } from './log-index.ts'
import { type LogUnit, logUnits, StalePlace } from './log-units.ts'
import { readRange, withFile, writeAll } from './side-files.ts'
import { type Stretch, stretchBefore, withOpenFile } from './stretches.ts'

/** The first read of a walk through a log: enough for a short one, and for what most walks want. */
const FIRST_READ = 128 * 1024

/** A log as its file says, at one moment. */
export interface LogState {
  readonly index: LogIndex
  /** Bytes behind the last whole unit: of a write that was torn. */
  readonly torn: number
  /** The seq behind the last row that was ever known: more than the index's end for a log that lost its end. */
  readonly stated: number
}

export interface LogOptions {
  readonly folder: string
  readonly encoding: Encoding
  readonly commit: GroupCommit
  readonly readOnly: boolean
}

/** One log file and the index beside it. Another writer's bytes are met, and never written over. */
export class SessionLog implements Written {
  readonly path: string
  readonly encoding: Encoding
  readonly #options: LogOptions
  readonly #indexFile: IndexFile
  #state: LogState | null = null
  #failed = false

  constructor(options: LogOptions) {
    this.#options = options
    this.encoding = options.encoding
    this.path = join(options.folder, options.encoding.file)
    this.#indexFile = new IndexFile(options.folder)
  }

  /** The last look at it failed. */
  get failed(): boolean {
    return this.#failed
  }

  /** @throws OddFile, or the system's own error, for a log that cannot be read. */
  state(): LogState {
    if (this.#state !== null) return this.#state
    this.#failed = true
    this.#state = this.#read(this.#indexFile.read())
    this.#failed = false
    return this.#state
  }

  /** What is known of it is read again when it is asked for. */
  forget(): void {
    this.#state = null
    this.#indexFile.forget()
  }

  /** The same without the stored index. */
  rebuild(): LogState {
    this.#indexFile.forget()
    this.#state = this.#read(new LogIndex())
    return this.#state
  }

  /** In order, from `fromSeq` on. */
  *rows(fromSeq: number): Generator<EventRow, void> {
    for (const { rows } of this.#unitsFrom(fromSeq)) {
      for (const row of rows) if (Number(row[0]) >= fromSeq) yield row
    }
  }

  /** At most `limit` rows before `before`, in order, by one read. */
  rowsBefore(before: number, limit: number): EventRow[] {
    if (limit === 0) return []
    const rows: EventRow[] = []
    for (const unit of this.#checked(({ index }) => stretchBefore(index, before, limit))) {
      for (const row of unit.rows) if (Number(row[0]) < before) rows.push(row)
    }
    return rows.slice(-limit)
  }

  /**
   * Writes lines behind the last one; `rows` are what they hold. `false` when the file is not as it was left: nothing
   * is written then. Durable with the commit that it is part of.
   */
  append(lines: readonly string[], rows: readonly IndexedRow[]): boolean {
    const { index, torn, stated } = this.state()
    if (torn > 0 || stated !== index.end) return false
    const { size } = index
    const { commit } = this.#options
    let isWritten = false
    const fd = commit.touch(this, descriptor => {
      this.forget()
      if (isWritten) ftruncateSync(descriptor, size)
    })
    if (fstatSync(fd).size !== size) {
      this.forget()
      return false
    }
    const packed = this.encoding.pack(lines)
    isWritten = true
    writeAll(fd, packed.bytes, size)
    let next = 0
    for (const unit of packed.units) {
      index.add(unit.bytes, unit.payload, rows.slice(next, next + unit.lines))
      next += unit.lines
    }
    this.#state = { index, torn: 0, stated: index.end }
    return true
  }

  committed(): void {
    this.storeIndex()
  }

  /** Where the units before `seq` end, and the lines of the unit there that come before it. */
  placeOf(seq: number): { readonly at: number; readonly kept: readonly string[] } {
    for (const { at, rows, lines } of this.#unitsFrom(seq)) {
      const count = rows.findIndex(row => Number(row[0]) >= seq)
      if (count !== -1) return { at, kept: lines.slice(0, count).filter(line => typeof line === 'string') }
    }
    return { at: this.state().index.size, kept: [] }
  }

  /** Beside the log, for the next start. */
  storeIndex(): void {
    if (this.#state === null || this.#options.readOnly) return
    this.#indexFile.store(this.#state.index)
  }

  dropStoredIndex(): void {
    this.#indexFile.remove()
  }

  #unitsFrom(seq: number): Generator<LogUnit, void> {
    return this.#checked(({ index }) => {
      const first = index.groups[index.find(seq)]
      return first === undefined ? null : { place: first, to: index.size, firstRead: FIRST_READ }
    })
  }

  /** A place that the index has wrong is found by an index that is made anew. */
  *#checked(choose: (state: LogState) => Stretch | null): Generator<LogUnit, void> {
    try {
      yield* this.#units(choose(this.state()))
    } catch (error) {
      if (!(error instanceof StalePlace)) throw error
      yield* this.#units(choose(this.rebuild()))
      this.storeIndex()
    }
  }

  *#units(stretch: Stretch | null): Generator<LogUnit, void> {
    if (stretch === null) return
    const { place, to, firstRead } = stretch
    const read = (fd: number) => logUnits(fd, this.encoding, place, to, firstRead)
    yield* withOpenFile(this.path, function* (fd) {
      let isFirst = true
      for (const unit of read(fd)) {
        if (isFirst && unit.rows.length > 0 && unit.rows[0]?.[0] !== place.seq) throw new StalePlace()
        if (unit.rows.length > 0) isFirst = false
        yield unit
      }
    })
  }

  #read(stored: LogIndex): LogState {
    return withFile(this.path, 'read', fd => {
      const { size } = fstatSync(fd)
      const isUsable =
        stored.size <= size &&
        this.#canBegin(fd, stored.groups.at(-1)?.at ?? 0) &&
        this.#canBegin(fd, stored.size)
      const index = isUsable ? stored : new LogIndex()
      this.#indexFile.takeAsStored(index)
      for (const unit of logUnits(fd, this.encoding, { at: index.size, seq: index.end }, size)) {
        const mayBegin = typeof unit.lines[0] === 'string'
        index.add(unit.to - unit.at, unit.payload, unit.rows.map(indexed), mayBegin)
      }
      const torn = size - index.size
      const lost = stored.size > size ? stored.end : 0
      return { index, torn, stated: Math.max(index.end + (torn > 0 ? 1 : 0), lost) }
    })
  }

  #canBegin(fd: number, at: number): boolean {
    const before = Math.min(at, 1)
    return this.encoding.canBegin(readRange(fd, at - before, at + 32), before)
  }
}

function indexed([seq, time, type]: EventRow): IndexedRow {
  return { seq: Number(seq), time, type }
}
