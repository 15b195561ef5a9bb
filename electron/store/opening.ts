import type { RescueReport } from './backup/rescue-report.ts'

/** What was met when the sessions were opened. Empty: all was as it should be. */
export interface Opening {
  /** The database was damaged: what could be read of it was put into a new one. */
  readonly rescued?: RescueReport
  /**
   * A file is gone that was there before. `wal`: the last process was killed, and the file that held what it saved last
   * has been deleted since. `database`: there are backups and no database.
   */
  readonly missing?: 'wal' | 'database'
  /** The version of the database that was brought up to date; a backup was made before. */
  readonly migratedFrom?: number
  /** The last process ended without closing. */
  readonly afterCrash?: true
}
