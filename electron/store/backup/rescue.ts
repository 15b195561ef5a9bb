import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { databaseFile } from '../data-folder.ts'
import { migrate, SCHEMA_VERSION } from '../sqlite/migrations.ts'
import { PAGE_BYTES } from '../sqlite/page-size.ts'
import { copyDatabase, writePrivately } from './copy-files.ts'
import { lengthen, writeFirstPageAnew, writeHeaderAnew } from './mend-copy.ts'
import { mendLogs } from './mend-logs.ts'
import { damagedFolder, makePrivate, stampOf } from './places.ts'
import type { RescueReport, SalvagedSession } from './rescue-report.ts'
import { salvage } from './salvage.ts'
import { nextDatabase, swapIn } from './swap.ts'
import { isUnreadable } from './unreadable.ts'
import { removeDatabase } from './write-backup.ts'

export interface RescueOptions {
  /** Epoch ms. */
  readonly at?: number
  /** What can be put right in logs is, and this is told what was, a sentence each. Absent: they stay as they were found. */
  readonly mend?: (sentences: readonly string[]) => void
}

/**
 * Replaces a damaged database by one that holds everything of it that can be read. The damaged one is moved to the
 * folder `damaged`, never changed and never deleted, with a report beside it. Nobody may have the database open. What
 * fails on the way (a full disk) leaves everything as it was.
 */
export function rescue(dataFolder: string, cause: string, options: RescueOptions = {}): RescueReport {
  const { at = Date.now(), mend } = options
  const name = `espalier-${stampOf(at)}`
  const folder = makePrivate(damagedFolder(dataFolder))
  const copy = join(folder, 'working-copy.db')
  const next = nextDatabase(dataFolder)
  try {
    const sessions = salvageBest(databaseFile(dataFolder), copy, next)
    if (mend !== undefined) mend(mendFile(next))
    swapIn(dataFolder, { folder: 'damaged', name: `${name}.db` })
    const report: RescueReport = { at, cause, kept: join('damaged', `${name}.db`), sessions }
    writePrivately(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
    return report
  } finally {
    removeDatabase(copy)
    removeDatabase(next)
  }
}

/** From the mildest mending of the copy to the boldest, until one of them shows sessions. */
const MENDINGS: readonly ((copy: string, fresh: string) => void)[] = [
  lengthen,
  copy => writeHeaderAnew(copy, SCHEMA_VERSION),
  writeFirstPageAnew,
]

function salvageBest(from: string, copy: string, fresh: string): readonly SalvagedSession[] {
  for (const mend of MENDINGS) {
    removeDatabase(copy)
    copyDatabase(from, copy)
    makeFresh(fresh)
    mend(copy, fresh)
    const sessions = salvageInto(fresh, copy)
    if (sessions.length > 0) return sessions
  }
  makeFresh(fresh)
  return []
}

function makeFresh(file: string): void {
  removeDatabase(file)
  const db = new Database(file)
  try {
    chmodSync(file, 0o600)
    db.pragma(`page_size = ${PAGE_BYTES}`)
    migrate(db)
  } finally {
    db.close()
  }
}

/** The fresh database is on the disk when this returns. Reading goes through a connection of its own: damage ends a transaction. */
function salvageInto(fresh: string, copy: string): readonly SalvagedSession[] {
  const bad = new Database(copy, { fileMustExist: true })
  const db = new Database(fresh, { fileMustExist: true })
  try {
    bad.unsafeMode(true)
    bad.pragma('writable_schema = ON') // a schema that is damaged in part is used as far as it goes
    db.pragma('synchronous = FULL')
    takeInWal(bad)
    return salvage(bad, db)
  } catch (error) {
    if (isUnreadable(error) || isMissingTable(error)) return []
    throw error
  } finally {
    bad.close()
    db.close()
  }
}

/** So that the pages in the file are the latest ones. */
function takeInWal(bad: Database.Database): void {
  try {
    bad.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    // A WAL that cannot be taken in is still read by every query, as far as it goes.
    if (!isUnreadable(error)) throw error
  }
}

function isMissingTable(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR'
}

function mendFile(fresh: string): string[] {
  const db = new Database(fresh, { fileMustExist: true })
  try {
    return mendLogs(db)
  } finally {
    db.close()
  }
}
