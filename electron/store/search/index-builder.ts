import type Database from 'better-sqlite3'
import { Hits, type PlacedText, type Text } from './hits.ts'
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
const SESSIONS_A_PAGE = 200
const ROWS_A_PAGE = 200

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
  readonly #stretches: LogStretches
  readonly #setSweep
  readonly #touched = new Set<string>()
  #phase: Phase = FROM_THE_FIRST
  #mustCompare = false
  #segments = 0
  /** Texts of sessions that are no more are still in the index. */
  #mustSweep: boolean

  constructor(options: BuilderOptions) {
    const { db, source } = options
    this.#options = options
    this.records = new SessionRecords(db)
    this.#hits = new Hits(db)
    this.#stretches = new LogStretches(source)
    this.#setSweep = db.prepare<[string]>("INSERT OR REPLACE INTO meta (key, value) VALUES ('sweep', ?)")
    const sweep = db.prepare<[], string>("SELECT value FROM meta WHERE key = 'sweep'").pluck()
    this.#mustSweep = sweep.get() === '1'
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
    const page = this.#options.source.sessions(after, SESSIONS_A_PAGE)
    this.#together(() => {
      for (const facts of page) this.#update(facts)
    })
    const last = page.at(-1)
    const isOver = page.length < SESSIONS_A_PAGE || last === undefined
    return isOver ? { kind: 'find missing', after: 0 } : { kind: 'compare', after: last.key }
  }

  /** Sessions that are gone for good. */
  #findMissing(after: number): Phase {
    const page = this.records.page(after, SESSIONS_A_PAGE)
    const gone = page.filter(({ id }) => this.#options.source.session(id) === null)
    this.#together(() => {
      for (const record of gone) this.#forget(record)
    })
    const last = page.at(-1)
    const isOver = page.length < SESSIONS_A_PAGE || last === undefined
    return isOver ? CHOOSE : { kind: 'find missing', after: last.no }
  }

  #choose(): Phase | null {
    if (this.#mustCompare) return FROM_THE_FIRST
    this.#lookAtTouched()
    const sessions = this.records.behind(SESSIONS_A_BATCH).reverse()
    if (sessions.length > 0) {
      return { kind: 'read', texts: [], length: 0, progress: new Map(), sessions, facts: null }
    }
    if (this.#segments > 0) return { kind: 'merge' }
    return this.#mustSweep ? { kind: 'sweep', after: -1 } : null
  }

  #lookAtTouched(): void {
    const ids = [...this.#touched].slice(0, SESSIONS_A_PAGE)
    this.#together(() => {
      for (const id of ids) {
        const facts = this.#options.source.session(id)
        const record = this.records.find(id)
        if (facts !== null) this.#update(facts)
        else if (record !== undefined) this.#forget(record)
      }
    })
    for (const id of ids) this.#touched.delete(id)
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
      this.#startOver(record, facts)
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

  /** Takes away the texts of sessions that the index does not know any more. */
  #sweep(after: number): Phase {
    const page = this.#hits.page(after, ROWS_A_PAGE)
    const gone = page.filter(({ session }) => this.records.idOf(session) === undefined)
    this.#together(() => {
      for (const { row } of gone) this.#hits.remove(row)
    })
    const last = page.at(-1)
    if (page.length === ROWS_A_PAGE && last !== undefined) return { kind: 'sweep', after: last.row }
    this.#setSweep.run('0')
    this.#mustSweep = false
    return { kind: 'merge' }
  }

  #update(facts: LogFacts): void {
    if (this.records.update(facts)) this.#oweSweep()
  }

  #forget(record: SessionRecord): void {
    this.records.forget(record)
    this.#oweSweep()
  }

  /** As another session. What was read of it in this batch belongs to a number that is no more. */
  #startOver(record: SessionRecord, facts: LogFacts): void {
    this.#together(() => {
      this.#forget(record)
      this.#update(facts)
    })
  }

  #oweSweep(): void {
    this.#mustSweep = true
    this.#setSweep.run('1')
  }

  #together(work: () => void): void {
    this.#options.db.transaction(work).immediate()
  }
}
