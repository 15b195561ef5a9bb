import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/*
 * POSIX locks of a file go when its owner closes any descriptor of it. So nothing in this process opens
 * `lock.db` or `espalier.db*` except through SQLite: sizes by `stat`, copies by the backup API, damaged
 * files by rename after close. `data-folder.test.ts` guards it.
 */

export function databaseFile(dataFolder: string): string {
  return join(dataFolder, 'espalier.db')
}

export function lockFile(dataFolder: string): string {
  return join(dataFolder, 'lock.db')
}

export function hostFile(dataFolder: string): string {
  return join(dataFolder, 'host.json')
}

/**
 * Makes the folder, its parents too, readable by its owner alone. One that is there is closed to others as well,
 * unless it holds things that are not ours: then only our own files in it are private.
 */
export function makeDataFolder(dataFolder: string): void {
  mkdirWithParents(dataFolder)
  const names = readdirSync(dataFolder)
  if (names.length === 0 || names.includes('espalier.db') || names.includes('sessions'))
    chmodSync(dataFolder, 0o700)
}

/** The system says only that a parent is missing where it cannot be made: then the right to make it is asked for. */
function mkdirWithParents(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    accessSync(nearestThere(folder), constants.W_OK)
    throw error
  }
}

function nearestThere(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestThere(parent)
}
