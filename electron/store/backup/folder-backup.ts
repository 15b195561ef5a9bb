import { cpSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import { formatFile, sessionsFolder } from '../jsonl/format.ts'
import { bytesBelow, namesIn } from './backup-files.ts'
import { backupFolder, makePrivate } from './places.ts'
import type { WrittenBackup } from './write-backup.ts'

/*
 * Backups of sessions that are kept in files: a copy of their folder. Logs only grow, so a copy that is made while they
 * are written to holds everything that was durable when it began, and at most a torn last line of what came after.
 */

export function keepsFiles(dataFolder: string): boolean {
  return existsSync(formatFile(sessionsFolder(dataFolder)))
}

/** Whole or not there: it is put in place by its name alone. */
export function copySessionsFolder(from: string, to: string): WrittenBackup {
  const partial = `${to}.partial`
  rmSync(partial, { recursive: true, force: true })
  try {
    cpSync(from, partial, { recursive: true, errorOnExist: true })
    makePrivate(partial)
    if (!existsSync(formatFile(partial))) {
      throw new WorkbenchError('STORE_UNAVAILABLE', 'The copy is not sound: it holds no folder of sessions.')
    }
    renameSync(partial, to)
    return { bytes: bytesBelow(to), sessions: sessionsBelow(to) }
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw error
  }
}

/** Folders of sessions in a backup of files. */
export function sessionsBelow(folder: string): number {
  return namesIn(folder).filter(name => isFolder(join(folder, name)) && !name.startsWith('.')).length
}

export function nextSessions(dataFolder: string): string {
  return join(dataFolder, 'next.partial.sessions')
}

/** Takes what lies at `nextSessions` as the folder of sessions; the one that is there becomes the backup `name`. */
export function swapSessionsIn(dataFolder: string, name: string): void {
  const decided = decidedAs(dataFolder, name)
  renameSync(nextSessions(dataFolder), decided)
  finishFolderSwap(dataFolder)
}

/** Brings a swap to its end that was cut short. To be called before the sessions are opened for writing. */
export function finishFolderSwap(dataFolder: string): void {
  const decided = namesIn(dataFolder).find(name => name.startsWith(DECIDED))
  if (decided === undefined) return
  const place = sessionsFolder(dataFolder)
  if (existsSync(place)) {
    renameSync(place, join(makePrivate(backupFolder(dataFolder)), decided.slice(DECIDED.length)))
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataFolder, `search.db${suffix}`), { force: true })
  renameSync(join(dataFolder, decided), place)
}

/** The name says what becomes of the sessions that are there. */
const DECIDED = 'next.sessions.'

function decidedAs(dataFolder: string, name: string): string {
  return join(dataFolder, `${DECIDED}${name}`)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
