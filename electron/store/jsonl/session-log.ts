import { closeSync, fstatSync, ftruncateSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EventRow } from '../event-rows.ts'
import type { Encoding } from './encoding.ts'
import type { GroupCommit, Written } from './group-commit.ts'
import { groupLine, type IndexedRow, LogIndex, readIndex } from './log-index.ts'
import { type LogUnit, logUnits, type Place, StalePlace } from './log-units.ts'
import { openFile, readRange, readSmall, replaceFile, withFile, writeAll } from './side-files.ts'

export const INDEX_FILE = 'index'
const MOST_INDEX_BYTES = 256 * 1024 * 1024
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
  readonly #indexPath: string
  #state: LogState | null = null
  #failed = false
  /** How many groups the stored index has, and where the last of them begins; `null`: it is to be written anew. */
  #stored: { readonly groups: number; readonly at: number } | null = null

  constructor(options: LogOptions) {
    this.#options = options
    this.encoding = options.encoding
    this.path = join(options.folder, options.encoding.file)
    this.#indexPath = join(options.folder, INDEX_FILE)
  }

  /** The last look at it failed. */
  get failed(): boolean {
    return this.#failed
  }

  /** @throws OddFile, or the system's own error, for a log that cannot be read. */
  state(): LogState {
    if (this.#state !== null) return this.#state
    this.#failed = true
    this.#state = this.#read(this.#storedIndex())
    this.#failed = false
    return this.#state
  }

  /** What is known of it is read again when it is asked for. */
  forget(): void {
    this.#state = null
    this.#stored = null
  }

  /** The same without the stored index. */
  rebuild(): LogState {
    this.#stored = null
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
    const { index } = this.#state
    try {
      this.#stored = this.#stored === null ? this.#storeAnew(index) : this.#storeRest(index, this.#stored)
    } catch {
      // Without it the next start reads the log instead: it is never needed.
      this.#stored = null
    }
  }

  dropStoredIndex(): void {
    this.#stored = null
    rmSync(this.#indexPath, { force: true })
  }

  #storeAnew(index: LogIndex) {
    const text = index.text()
    replaceFile(this.#indexPath, text, false)
    const last = index.groups.at(-1)
    const at = last === undefined ? text.length : text.length - groupLine(last).length
    return { groups: index.groups.length, at }
  }

  /** The last stored group has grown, others follow it. */
  #storeRest({ groups }: LogIndex, stored: { readonly groups: number; readonly at: number }) {
    const lines = groups.slice(Math.max(0, stored.groups - 1)).map(groupLine)
    const text = lines.join('')
    withFile(this.#indexPath, 'write', fd => writeAll(fd, Buffer.from(text), stored.at))
    const at = stored.at + text.length - (lines.at(-1)?.length ?? 0)
    return { groups: groups.length, at }
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
    yield* withFileOpen(this.path, function* (fd) {
      let isFirst = true
      for (const unit of read(fd)) {
        if (isFirst && unit.rows.length > 0 && unit.rows[0]?.[0] !== place.seq) throw new StalePlace()
        if (unit.rows.length > 0) isFirst = false
        yield unit
      }
    })
  }

  #storedIndex(): LogIndex {
    try {
      const text = readSmall(this.#indexPath, MOST_INDEX_BYTES)
      return text === null ? new LogIndex() : readIndex(text.toString('latin1'))
    } catch {
      // Not to be read is as good as absent: the log says it all.
      return new LogIndex()
    }
  }

  #read(stored: LogIndex): LogState {
    return withFile(this.path, 'read', fd => {
      const { size } = fstatSync(fd)
      const isUsable =
        stored.size <= size &&
        this.#canBegin(fd, stored.groups.at(-1)?.at ?? 0) &&
        this.#canBegin(fd, stored.size)
      const index = isUsable ? stored : new LogIndex()
      const last = index.groups.at(-1)
      this.#stored =
        last === undefined
          ? null
          : { groups: index.groups.length, at: index.text().length - groupLine(last).length }
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

interface Stretch {
  readonly place: Place
  readonly to: number
  readonly firstRead: number
}

/** How many of the last group's rows are wanted is seen when it is read: one group more may be. */
function stretchBefore({ groups }: LogIndex, before: number, limit: number): Stretch | null {
  let at = groups.findLastIndex(({ seq }) => seq < before)
  const last = groups[at]
  if (last === undefined) return null
  for (let counted = 0; at > 0 && counted < limit; counted += groups[at]?.rows ?? 0) at -= 1
  const place = groups[at] ?? last
  return { place, to: last.to, firstRead: last.to - place.at }
}

function indexed([seq, time, type]: EventRow): IndexedRow {
  return { seq: Number(seq), time, type }
}

/** The file stays open for as long as its units are asked for. */
function* withFileOpen<T>(path: string, work: (fd: number) => Generator<T, void>): Generator<T, void> {
  const fd = openFile(path, 'read')
  try {
    yield* work(fd)
  } finally {
    closeSync(fd)
  }
}
