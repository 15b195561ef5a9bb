import type Database from 'better-sqlite3'
import { messageOf } from '#shared/errors.ts'
import { IndexBuilder } from './index-builder.ts'
import type { LogSource } from './log-source.ts'
import {
  closeSearchFile,
  identityOf,
  isDamage,
  openSearchFile,
  openSearchFileToRead,
  removeSearchFile,
} from './search-file.ts'
import { createSearchReads, type FoundEvents, type SearchRequest } from './search-reads.ts'
import { SessionRecords, type Totals } from './session-records.ts'

export interface SearchIndexOptions {
  readonly file: string
  readonly source: LogSource
  /** An index that is there is used as it is; none is made. */
  readonly readOnly: boolean
  /** A sentence for the log. */
  readonly note: (sentence: string) => void
}

export interface IndexStatus extends Totals {
  /** `paused`: it cannot be written at the moment. `unavailable`: there is none to search in. */
  readonly state: 'building' | 'ready' | 'paused' | 'unavailable'
  /** Why it is `paused` or `unavailable`: a sentence. */
  readonly problem: string | null
}

export type SearchAnswer = FoundEvents & { readonly status: IndexStatus }

/** How long one step may take, about: a request that comes meanwhile waits for its end. */
const STEP_MS = 4
const LOOK_AT_FILE_EVERY_MS = 1000
const PAUSE_MS = 20_000
/** What is logged is collected for so long: a segment of the index per event would cost more than the event. */
const COLLECT_MS = 300
/** A file that is damaged again right after it was made is the medium's fault. */
const MOST_REBUILDS = 3

type Open =
  | {
      readonly kind: 'to write'
      readonly db: Database.Database
      readonly builder: IndexBuilder
      readonly identity: string | null
    }
  | { readonly kind: 'to read'; readonly db: Database.Database }

/**
 * The full-text index of all logs, and the work that makes it. Nothing that happens to it harms a log: whatever is
 * wrong with its file, it is made anew or waits.
 */
export class SearchIndex {
  readonly #options: SearchIndexOptions
  #open: Open | null = null
  #problem: string | null = null
  #pausedUntil = 0
  #lookedAt = 0
  #rebuilds = 0

  constructor(options: SearchIndexOptions) {
    this.#options = options
  }

  /** A bounded piece of work. In how many milliseconds there may be more; infinite: not before something is written. */
  step(): number {
    if (this.#options.readOnly) return Number.POSITIVE_INFINITY
    const wait = this.#pausedUntil - performance.now()
    if (wait > 0) return wait
    return this.#guarded(
      () => {
        const { builder } = this.#openToWrite()
        const until = performance.now() + STEP_MS
        do {
          if (!builder.piece()) {
            this.#rebuilds = 0
            return Number.POSITIVE_INFINITY
          }
        } while (performance.now() < until)
        return 0
      },
      () => Math.max(1, this.#pausedUntil - performance.now()),
    )
  }

  /** This log was written to. In how many milliseconds it is time for a step. */
  touch(id: string): number {
    if (this.#open?.kind === 'to write') this.#open.builder.touch(id)
    return COLLECT_MS
  }

  /** Any log may have changed. */
  compareAll(): number {
    if (this.#open?.kind === 'to write') this.#open.builder.compareAll()
    return COLLECT_MS
  }

  query(request: SearchRequest): SearchAnswer {
    const nothing: FoundEvents = { events: [], next: null }
    const found = this.#guarded(
      () => {
        const open = this.#openAnyhow()
        return open === null ? nothing : createSearchReads(open.db, this.#options.source)(request)
      },
      () => nothing,
    )
    return { ...found, status: this.status() }
  }

  status(): IndexStatus {
    const none = { indexedEvents: 0, totalEvents: 0 }
    return this.#guarded<IndexStatus>(
      () => {
        const open = this.#openAnyhow()
        if (open === null) return { state: 'unavailable', problem: this.#problem, ...none }
        const totals = (
          open.kind === 'to write' ? open.builder.records : new SessionRecords(open.db)
        ).totals()
        if (this.#problem !== null) return { state: 'paused', problem: this.#problem, ...totals }
        const isDone = open.kind === 'to read' || open.builder.isDone
        return { state: isDone ? 'ready' : 'building', problem: null, ...totals }
      },
      () => ({ state: this.#problem === null ? 'building' : 'unavailable', problem: this.#problem, ...none }),
    )
  }

  close(): void {
    if (this.#open !== null) closeSearchFile(this.#open.db)
    this.#open = null
  }

  #openAnyhow(): Open | null {
    if (this.#options.readOnly) return this.#openToRead()
    if (this.#pausedUntil > performance.now()) return this.#open ?? this.#openWhilePaused()
    return this.#openToWrite()
  }

  #openToRead(): Open | null {
    if (this.#open !== null) return this.#open
    const db = openSearchFileToRead(this.#options.file)
    if (db !== null) this.#open = { kind: 'to read', db }
    else this.#problem = 'There is no search index, and none can be made while the sessions can only be read.'
    return this.#open
  }

  /** What is there can be searched, if it can be read. */
  #openWhilePaused(): Open | null {
    try {
      const db = openSearchFileToRead(this.#options.file)
      if (db !== null) this.#open = { kind: 'to read', db }
    } catch {
      // Whatever keeps it from being written keeps it from being read: the pause says what that is.
    }
    return this.#open
  }

  #openToWrite(): Extract<Open, { kind: 'to write' }> {
    const { file, source, note } = this.#options
    if (this.#open?.kind === 'to write' && this.#isInPlace(this.#open.identity)) return this.#open
    if (this.#open?.kind === 'to write') note('The search index was deleted; it is made anew.')
    this.close()
    const { db, replaced } = openSearchFile(file)
    if (replaced !== null) note(`The search index was thrown away, because ${replaced}; it is made anew.`)
    const onUnreadable = (id: string, error: unknown) =>
      note(`Session ${id} cannot be searched: its log cannot be read (${messageOf(error)}).`)
    const builder = new IndexBuilder({ db, source, onUnreadable })
    const open = { kind: 'to write' as const, db, builder, identity: identityOf(file) }
    this.#open = open
    this.#problem = null
    return open
  }

  #isInPlace(identity: string | null): boolean {
    const now = performance.now()
    if (now - this.#lookedAt < LOOK_AT_FILE_EVERY_MS) return true
    this.#lookedAt = now
    return identityOf(this.#options.file) === identity
  }

  /** Damage of the file: it is made anew. Anything else: a pause. */
  #guarded<T>(work: () => T, instead: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#recover(error)
      return instead()
    }
  }

  #recover(error: unknown): void {
    const { file, note, readOnly } = this.#options
    this.close()
    if (isDamage(error) && !readOnly && this.#rebuilds < MOST_REBUILDS) {
      this.#rebuilds += 1
      note(`The search index is damaged (${messageOf(error)}); it is made anew.`)
      try {
        removeSearchFile(file)
        return
      } catch (problem) {
        note(`The damaged search index cannot be removed (${messageOf(problem)}).`)
      }
    }
    this.#problem = `The search index cannot be ${readOnly ? 'read' : 'written'}: ${messageOf(error)}.`
    this.#pausedUntil = performance.now() + PAUSE_MS
    note(this.#problem)
  }
}
