export interface SalvagedSession {
  readonly id: string
  /** `null` where no name of it can be read. */
  readonly title: string | null
  /** Events that its record states and that could not be read. */
  readonly lost: number
  readonly kept: number
  /** Its header was put together from what could be found. */
  readonly rebuilt: boolean
}

/** What became of a damaged database. */
export interface RescueReport {
  /** Epoch ms. */
  readonly at: number
  /** What was wrong, in SQLite's words. */
  readonly cause: string
  /** Where the damaged database is kept, below the data folder. */
  readonly kept: string
  readonly sessions: readonly SalvagedSession[]
}
