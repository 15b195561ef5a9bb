import type Database from 'better-sqlite3'
import type { Hits } from './hits.ts'
import type { LogFacts, LogSource } from './log-source.ts'
import type { SessionRecord, SessionRecords } from './session-records.ts'

const SESSIONS_A_PAGE = 200
const ROWS_A_PAGE = 200

export interface UpkeepParts {
  readonly db: Database.Database
  readonly source: LogSource
  readonly records: SessionRecords
  readonly hits: Hits
}

/** Keeps what the index knows of sessions true to the logs: a page at a time, each in a transaction of its own. */
export class IndexUpkeep {
  readonly #parts: UpkeepParts
  readonly #setSweep
  #mustSweep: boolean

  constructor(parts: UpkeepParts) {
    const { db } = parts
    this.#parts = parts
    this.#setSweep = db.prepare<[string]>("INSERT OR REPLACE INTO meta (key, value) VALUES ('sweep', ?)")
    const sweep = db.prepare<[], string>("SELECT value FROM meta WHERE key = 'sweep'").pluck()
    this.#mustSweep = sweep.get() === '1'
  }

  /** Texts of sessions that are no more are still in the index. */
  get mustSweep(): boolean {
    return this.#mustSweep
  }

  /** Takes over what the records of the logs say. The key to go on after, `null` at the end. */
  compare(after: number): number | null {
    const page = this.#parts.source.sessions(after, SESSIONS_A_PAGE)
    this.#together(() => {
      for (const facts of page) this.#update(facts)
    })
    return page.length < SESSIONS_A_PAGE ? null : (page.at(-1)?.key ?? null)
  }

  /** Forgets sessions that are gone for good. The number to go on after, `null` at the end. */
  forgetMissing(after: number): number | null {
    const { records, source } = this.#parts
    const page = records.page(after, SESSIONS_A_PAGE)
    const gone = page.filter(({ id }) => source.session(id) === null)
    this.#together(() => {
      for (const record of gone) this.#forget(record)
    })
    return page.length < SESSIONS_A_PAGE ? null : (page.at(-1)?.no ?? null)
  }

  /** Both of it for these sessions, as many as fit into a page: takes them out of the set. */
  lookAt(ids: Set<string>): void {
    const { records, source } = this.#parts
    const some = [...ids].slice(0, SESSIONS_A_PAGE)
    if (some.length === 0) return
    this.#together(() => {
      for (const id of some) {
        const facts = source.session(id)
        const record = records.find(id)
        if (facts !== null) this.#update(facts)
        else if (record !== undefined) this.#forget(record)
      }
    })
    for (const id of some) ids.delete(id)
  }

  /** As another session: what was read of it so far belongs to a number that is no more. */
  startOver(record: SessionRecord, facts: LogFacts): void {
    this.#together(() => {
      this.#forget(record)
      this.#update(facts)
    })
  }

  /** Takes away texts of sessions that are no more. The row to go on after, `null` at the end. */
  sweep(after: number): number | null {
    const { hits, records } = this.#parts
    const page = hits.page(after, ROWS_A_PAGE)
    const gone = page.filter(({ session }) => records.idOf(session) === undefined)
    this.#together(() => {
      for (const { row } of gone) hits.remove(row)
    })
    if (page.length === ROWS_A_PAGE) return page.at(-1)?.row ?? null
    this.#setSweep.run('0')
    this.#mustSweep = false
    return null
  }

  #update(facts: LogFacts): void {
    if (this.#parts.records.update(facts)) this.#oweSweep()
  }

  #forget(record: SessionRecord): void {
    this.#parts.records.forget(record)
    this.#oweSweep()
  }

  #oweSweep(): void {
    this.#mustSweep = true
    this.#setSweep.run('1')
  }

  #together(work: () => void): void {
    this.#parts.db.transaction(work).immediate()
  }
}
