import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { messageOf, WorkbenchError } from '#shared/errors.ts'
import type { Backend, BackendOptions } from '../backend.ts'
import { pruneBackups } from '../backup/backup-files.ts'
import { forgetDamage, foundDamage } from '../backup/found-damage.ts'
import { lookAtFiles } from '../backup/look-at-files.ts'
import { backupFolder, backupName, makePrivate } from '../backup/places.ts'
import { rescue } from '../backup/rescue.ts'
import type { RescueReport } from '../backup/rescue-report.ts'
import { finishSwap } from '../backup/swap.ts'
import { isUnreadable } from '../backup/unreadable.ts'
import { writeBackup } from '../backup/write-backup.ts'
import { databaseFile } from '../data-folder.ts'
import { MEDIUM_SENTENCES } from '../medium.ts'
import type { Opening } from '../opening.ts'
import { SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { openSqliteBackend } from './sqlite-backend.ts'

/**
 * Opens the sessions of a data folder whose lock this process holds. A damaged database is put aside and what can be read of it saved into a
 * new one; one that is locked, may not be read or is of a newer version is never taken for damaged. Before a database
 * is brought up to date it is backed up.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when the database cannot be opened, or not be backed up before.
 */
export async function openSafely(options: BackendOptions): Promise<Backend> {
  if (options.readOnly) return openSqliteBackend(options)
  const { dataFolder } = options
  finishSwap(dataFolder)
  const { cause, ...signs } = look(dataFolder)
  const saved = cause === null ? null : rescueFrom(dataFolder, cause)
  try {
    return withOpening(await openUpToDate(options), { ...signs, ...(saved && { rescued: saved }) })
  } catch (error) {
    const damage = damageIn(error)
    if (damage === null || saved !== null) throw error
    const rescued = rescueFrom(dataFolder, damage)
    return withOpening(openSqliteBackend(options), { ...signs, rescued })
  }
}

interface Signs extends Omit<Opening, 'rescued' | 'migratedFrom'> {
  /** Why the database has to be rescued before SQLite may touch it: on an empty file it would delete the WAL. */
  readonly cause: string | null
}

function look(dataFolder: string): Signs {
  const { isEmpty, isGone, isWalGone, afterCrash } = lookAtFiles(dataFolder)
  const crashed = afterCrash ? { afterCrash: true as const } : {}
  const found = foundDamage(dataFolder)
  if (found !== null) return { cause: found, ...crashed }
  if (isEmpty) return { cause: 'the file is empty', ...crashed }
  if (isGone && afterCrash) return { cause: 'the file is gone', ...crashed }
  if (isGone) return { cause: null, missing: 'database' }
  return { cause: null, ...crashed, ...(isWalGone && { missing: 'wal' }) }
}

function rescueFrom(dataFolder: string, cause: string): RescueReport {
  const report = rescue(dataFolder, cause)
  forgetDamage(dataFolder)
  return report
}

async function openUpToDate(options: BackendOptions): Promise<Backend> {
  const migratedFrom = await backUpOlder(options.dataFolder)
  const backend = openSqliteBackend(options)
  return migratedFrom === null ? backend : withOpening(backend, { migratedFrom })
}

function withOpening(backend: Backend, opening: Opening): Backend {
  return { ...backend, opening: { ...backend.opening, ...opening } }
}

/** @returns the version of a database that will be brought up to date, `null` when none will be. */
async function backUpOlder(dataFolder: string): Promise<number | null> {
  const file = databaseFile(dataFolder)
  if (!existsSync(file)) return null
  const db = new Database(file, { fileMustExist: true })
  try {
    const version = schemaVersion(db)
    if (version === 0 || version >= SCHEMA_VERSION) return null
    const folder = makePrivate(backupFolder(dataFolder))
    await writeBackup(db, join(folder, backupName(Date.now(), 'migration'))).catch((error: unknown) => {
      throw isUnreadable(error) ? error : cannotBackUp(error)
    })
    pruneBackups(dataFolder)
    return version
  } finally {
    db.close()
  }
}

function cannotBackUp(error: unknown): WorkbenchError {
  const sentence = `The session database has to be brought up to date and could not be backed up before: ${messageOf(error)}`
  return new WorkbenchError('STORE_UNAVAILABLE', `${sentence}. Nothing was changed.`, { cause: error })
}

/** What SQLite said, when that means that the file is damaged. */
function damageIn(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) if (isUnreadable(at)) return messageOf(at)
  return error instanceof WorkbenchError && error.message === MEDIUM_SENTENCES.damaged ? error.message : null
}
