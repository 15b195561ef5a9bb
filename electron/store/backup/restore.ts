import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { databaseFile } from '../data-folder.ts'
import { sessionsFolder } from '../jsonl/format.ts'
import { findBackup } from './backups.ts'
import { keepsFiles, nextSessions, swapSessionsIn } from './folder-backup.ts'
import { forgetDamage } from './found-damage.ts'
import { backupName, damagedFolder, makePrivate, stampOf } from './places.ts'
import { runFileTask } from './run-file-task.ts'
import { nextDatabase, setAside, swapIn } from './swap.ts'
import type { Aside } from './swap-note.ts'
import { isUnreadable } from './unreadable.ts'
import { removeDatabase } from './write-backup.ts'

/**
 * Copies a backup beside the database and reads the copy. Nothing is replaced yet: the sessions may be in use.
 * @returns how many sessions it holds.
 * @throws WorkbenchError `BAD_REQUEST` when there is no such backup, `STORE_UNAVAILABLE` when it is not sound.
 */
export async function prepareRestore(dataFolder: string, name: string): Promise<number> {
  const { path } = findBackup(dataFolder, name)
  const isOfFiles = !name.endsWith('.db')
  if (isOfFiles !== keepsFiles(dataFolder)) throw ofAnotherKind(isOfFiles)
  const to = isOfFiles ? nextSessions(dataFolder) : nextDatabase(dataFolder)
  try {
    const { sessions } = await runFileTask('copyBackup', { from: path, to })
    return sessions
  } catch (error) {
    forgetRestore(dataFolder)
    throw error
  }
}

function ofAnotherKind(isOfFiles: boolean): WorkbenchError {
  const [backup, sessions] = isOfFiles ? ['files', 'a database'] : ['a database', 'files']
  const sentence = `This is a backup of ${backup}, and the sessions are kept in ${sessions}: run "espalier migrate" first.`
  return new WorkbenchError('BAD_REQUEST', sentence)
}

export function forgetRestore(dataFolder: string): void {
  removeDatabase(nextDatabase(dataFolder))
  rmSync(nextSessions(dataFolder), { recursive: true, force: true })
}

/**
 * Puts what was made ready in the place of the database, which nobody has open. The replaced one becomes a backup;
 * one that is damaged is kept among the damaged ones.
 */
export function commitRestore(dataFolder: string, at = Date.now()): Aside | null {
  if (keepsFiles(dataFolder)) {
    const name = backupName(at, 'before-restore', '')
    swapSessionsIn(dataFolder, name)
    return { folder: 'backups', name }
  }
  const file = databaseFile(dataFolder)
  const isThere = existsSync(file)
  const aside: Aside =
    isThere && !isOneFile(file)
      ? { folder: 'damaged', name: `espalier-${stampOf(at)}.db` }
      : { folder: 'backups', name: backupName(at, 'before-restore') }
  swapIn(dataFolder, aside)
  forgetDamage(dataFolder)
  return isThere ? aside : null
}

/** What was restored cannot be used after all: it is kept among the damaged ones, and the replaced one comes back. */
export function undoRestore(dataFolder: string, aside: Aside | null, at = Date.now()): void {
  if (keepsFiles(dataFolder) && aside !== null) {
    renameSync(
      sessionsFolder(dataFolder),
      join(makePrivate(damagedFolder(dataFolder)), `espalier-${stampOf(at)}-restored`),
    )
    renameSync(join(dataFolder, aside.folder, aside.name), sessionsFolder(dataFolder))
    return
  }
  setAside(dataFolder, { folder: 'damaged', name: `espalier-${stampOf(at)}-restored.db` })
  if (aside === null) return
  const kept = join(dataFolder, aside.folder, aside.name)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(`${kept}${suffix}`)) renameSync(`${kept}${suffix}`, `${databaseFile(dataFolder)}${suffix}`)
  }
}

/** Brings what a killed process left in the WAL into the file. `false` for a damaged one: it is kept as it lies. */
function isOneFile(file: string): boolean {
  try {
    chmodSync(file, 0o600)
    const db = new Database(file, { fileMustExist: true })
    try {
      db.pragma('journal_mode = DELETE')
    } finally {
      db.close()
    }
    return true
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return false
  }
}
