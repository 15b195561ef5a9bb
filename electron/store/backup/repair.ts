import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { databaseFile } from '../data-folder.ts'
import { closeToOthers } from './modes.ts'
import { backupFolder, backupName, makePrivate } from './places.ts'
import { rescue } from './rescue.ts'
import { hurtText } from './rescue-text.ts'
import { finishSwap } from './swap.ts'
import { isUnreadable } from './unreadable.ts'
import { writeBackup } from './write-backup.ts'

/**
 * Repairs the database of a data folder whose lock the caller holds: it is backed up, everything readable is copied into
 * a new one, what can be put right there is, and the new one takes its place. The old one is kept in `damaged`.
 * @returns what was done, a sentence each.
 */
export async function repairFolder(dataFolder: string, findings: readonly string[]): Promise<string[]> {
  const closed = closeToOthers(dataFolder).map(path => `Closed ${path} to other users.`)
  if (findings.length === closed.length || !existsSync(databaseFile(dataFolder))) return closed
  finishSwap(dataFolder)
  const backup = await backUp(dataFolder)
  const done: string[] = []
  const { sessions, kept } = rescue(dataFolder, findings.join(' '), {
    mend: sentences => done.push(...sentences),
  })
  const hurt = sessions.filter(({ lost, rebuilt }) => lost > 0 || rebuilt)
  return [
    ...closed,
    backup === null
      ? 'The database is too damaged to be backed up; it is kept as it is.'
      : `Backed up as ${backup}.`,
    `Saved ${sessions.length} sessions, ${sessions.length - hurt.length} of them whole.`,
    ...hurt.map(hurtText),
    ...done,
    `The old database is kept (${kept}).`,
  ]
}

/** `null` for one that cannot be copied soundly. */
async function backUp(dataFolder: string): Promise<string | null> {
  const name = backupName(Date.now(), 'before-repair')
  try {
    const db = new Database(databaseFile(dataFolder), { fileMustExist: true })
    try {
      await writeBackup(db, join(makePrivate(backupFolder(dataFolder)), name))
    } finally {
      db.close()
    }
    return name
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return null
  }
}
