import type Database from 'better-sqlite3'
import { Hits, type PlacedText, type Text } from './hits.ts'
import { IndexUpkeep } from './index-upkeep.ts'
import type { LogFacts, LogSource } from './log-source.ts'
import { LogStretches } from './log-stretch.ts'
import { type Progress, type SessionRecord, SessionRecords } from './session-records.ts'

/** Characters that are written in one transaction, and make one segment of the index. */
const BATCH_LENGTH = 256 * 1024
const SESSIONS_A_BATCH = 200
/** Characters that are inserted between two looks at the clock. */
const PIECE_LENGTH = 16 * 1024
/** Segments that are joined at a time while there is more to read: each joining writes all of them anew. */
const MOST_SEGMENTS = 16

export interface BuilderOptions {
  readonly db: Database.Database
  readonly source: LogSource
  /** One session's log cannot be read: it is left out. */
  readonly onUnreadable: (id: string, error: unknown) => void
}

interface Reading {
  readonly kind: 'read'
  readonly texts: Text[]
  length: number
  readonly progress: Map<number, Progress>
  /** Those still to be read, the first one last. */
  readonly sessions: SessionRecord[]
  /** Of the last one of them, once it is being read. */
  facts: LogFacts | null
}

interface Writing {
  readonly kind: 'write'
  readonly placed: readonly PlacedText[]
  at: number
  readonly progress: ReadonlyMap<number, Progress>
}

/** What is done next, a piece at a time. */
type Phase =
  | { readonly kind: 'compare'; readonly after: number }
  | { readonly kind: 'find missing'; readonly after: number }
  | { readonly kind: 'choose' }
  | Reading
  | Writing
  | { readonly kind: 'commit' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'sweep'; readonly after: number }

const FROM_THE_FIRST = { kind: 'compare', after: -1 } as const
const CHOOSE = { kind: 'choose' } as const

/**
 * Makes the index from the logs and keeps up with them. All that matters is in the file, written together with the
 * texts it speaks of: whatever happens, a new builder goes on from there. Errors of the index's own medium are thrown;
 * then `reset` must be called.
 */
export class IndexBuilder {
  readonly records: SessionRecords
  readonly #options: BuilderOptions
  readonly #hits: Hits
  readonly #upkeep: IndexUpkeep
  readonly #stretches: LogStretches
  readonly #touched = new Set<string>()
  #phase: Phase = FROM_THE_FIRST
  #mustCompare = false
  #segments = 0

  constructor(options: BuilderOptions) {
    const { db, source } = options
    this.#options = options
    this.records = new SessionRecords(db)
    this.#hits = new Hits(db)
    this.#upkeep = new IndexUpkeep({ db, source, records: this.records, hits: this.#hits })
    this.#stretches = new LogStretches(source)
  }

  /** Every log has been compared with the index, and all that was found is in it. */
  get isDone(): boolean {
    const isIdle =
      this.#phase.kind === 'choose' || this.#phase.kind === 'merge' || this.#phase.kind === 'sweep'
    return isIdle && !this.#mustCompare && this.#touched.size === 0 && this.records.behind(1).length === 0
  }

  /** This log was written to. */
  touch(id: string): void {
    this.#touched.add(id)
  }

  /** Any log may have changed. */
  compareAll(): void {
    this.#mustCompare = true
  }

  /** After an error: what was under way is undone, and found again. */
  reset(): void {
    const { db } = this.#options
    if (db.inTransaction) db.exec('ROLLBACK')
    this.#hits.forgetPlaces()
    this.#phase = FROM_THE_FIRST
  }

  /** Does the next piece, a few milliseconds at most. False when there is nothing to do. */
  piece(): boolean {
    const next = this.#after(this.#phase)
    this.#phase = next ?? CHOOSE
    return next !== null
  }

  #after(phase: Phase): Phase | null {
    switch (phase.kind) {
      case 'compare':
        return this.#compare(phase.after)
      case 'find missing':
        return this.#findMissing(phase.after)
      case 'choose':
        return this.#choose()
      case 'read':
        return this.#read(phase)
      case 'write':
        return this.#write(phase)
      case 'commit':
        this.#options.db.exec('COMMIT')
        this.#hits.forgetPlaces()
        this.#segments += 1
        return this.#segments < MOST_SEGMENTS ? CHOOSE : { kind: 'merge' }
      case 'merge':
        this.#segments = 0
        return this.#hits.merge() ? phase : CHOOSE
      case 'sweep':
        return this.#sweep(phase.after)
    }
  }

  #compare(after: number): Phase {
    this.#mustCompare = false
    const next = this.#upkeep.compare(after)
    return next === null ? { kind: 'find missing', after: 0 } : { kind: 'compare', after: next }
  }

  #findMissing(after: number): Phase {
    const next = this.#upkeep.forgetMissing(after)
    return next === null ? CHOOSE : { kind: 'find missing', after: next }
  }

  #choose(): Phase | null {
    if (this.#mustCompare) return FROM_THE_FIRST
    this.#upkeep.lookAt(this.#touched)
    const sessions = this.records.behind(SESSIONS_A_BATCH).reverse()
    if (sessions.length > 0) {
      return { kind: 'read', texts: [], length: 0, progress: new Map(), sessions, facts: null }
    }
    if (this.#segments > 0) return { kind: 'merge' }
    return this.#upkeep.mustSweep ? { kind: 'sweep', after: -1 } : null
  }

  #read(reading: Reading): Phase {
    const { sessions, texts, progress } = reading
    const record = sessions.at(-1)
    if (record === undefined || reading.length >= BATCH_LENGTH) {
      return { kind: 'write', placed: this.#hits.place(texts), at: 0, progress }
    }
    try {
      if (this.#readStretch(reading, record)) {
        sessions.pop()
        reading.facts = null
      }
    } catch (error) {
      // Damage in this log's part of the medium costs this log.
      this.#options.onUnreadable(record.id, error)
      this.records.fail(record.no)
      sessions.pop()
      reading.facts = null
    }
    return reading
  }

  /** True when there is nothing more to read of it. */
  #readStretch(reading: Reading, record: SessionRecord): boolean {
    const { texts, progress } = reading
    reading.facts ??= this.#options.source.session(record.id)
    const { facts } = reading
    if (facts === null) {
      this.touch(record.id)
      return true
    }
    const stretch = this.#stretches.read(facts, record, progress.get(record.no) ?? record)
    if (stretch.kind === 'other log') {
      this.#upkeep.startOver(record, facts)
      return true
    }
    texts.push(...stretch.texts)
    reading.length += stretch.length
    progress.set(record.no, stretch.progress)
    return stretch.atEnd
  }

  #write(writing: Writing): Phase {
    const { placed, progress } = writing
    const { db } = this.#options
    if (!db.inTransaction) db.exec('BEGIN IMMEDIATE')
    let length = 0
    for (; length < PIECE_LENGTH && writing.at < placed.length; writing.at += 1) {
      const text = placed[writing.at]
      if (text === undefined) break
      this.#hits.insert(text)
      length += text.prepared.length
    }
    if (writing.at < placed.length) return writing
    for (const [no, reached] of progress) this.records.advance(no, reached)
    if (placed.length > 0) this.#hits.flush()
    return { kind: 'commit' }
  }

  #sweep(after: number): Phase {
    const next = this.#upkeep.sweep(after)
    return next === null ? { kind: 'merge' } : { kind: 'sweep', after: next }
  }
}
