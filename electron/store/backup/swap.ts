import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from '../data-folder.ts'
import { backupFolder, damagedFolder, makePrivate } from './places.ts'
import { type Aside, readNote, removeNote, writeNote } from './swap-note.ts'

/*
 * Putting another database in the place of the one that is there, so that a kill at any moment leaves the old one or
 * the new one, whole. The new one waits as `next.db`; as soon as it is there the swap is decided, and whoever opens
 * the folder next brings it to its end. The WAL goes first: beside another database it would destroy it.
 * Nobody may have the database open.
 */

/** What the new database is to be written to, before `swapIn`: on the same file system as its place. */
export function nextDatabase(dataFolder: string): string {
  return join(dataFolder, 'next.partial.db')
}

/** Takes what was written to `nextDatabase` as the database. */
export function swapIn(dataFolder: string, aside: Aside): void {
  writeNote(dataFolder, aside)
  renameSync(nextDatabase(dataFolder), decided(dataFolder))
  finishSwap(dataFolder)
}

/** To be called before a data folder's database is opened for writing. Does nothing unless a swap was cut short. */
export function finishSwap(dataFolder: string): void {
  const next = decided(dataFolder)
  // What was made ready by a process that was killed before it was decided.
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${nextDatabase(dataFolder)}${suffix}`, { force: true })
  if (!existsSync(next)) return
  setAside(dataFolder, readNote(dataFolder))
  dropSearchIndex(dataFolder)
  renameSync(next, databaseFile(dataFolder))
  removeNote(dataFolder)
}

/** Puts the database and what lies beside it aside, if it is there. Gives the path it has then. */
export function setAside(dataFolder: string, { folder, name }: Aside): string {
  const place = databaseFile(dataFolder)
  const parent = folder === 'damaged' ? damagedFolder(dataFolder) : backupFolder(dataFolder)
  const target = join(makePrivate(parent), name)
  for (const suffix of ['-wal', '-shm', '-journal', '']) {
    if (existsSync(`${place}${suffix}`)) renameSync(`${place}${suffix}`, `${target}${suffix}`)
  }
  return target
}

function decided(dataFolder: string): string {
  return join(dataFolder, 'next.db')
}

/** Made of the sessions that were there: it is built anew from those that are there now. */
function dropSearchIndex(dataFolder: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataFolder, `search.db${suffix}`), { force: true })
}
