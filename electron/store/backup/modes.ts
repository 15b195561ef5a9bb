import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/** Ours in a data folder; what else is in it is none of our business. */
const OURS = [
  [
    'espalier.db',
    'espalier.db-wal',
    'espalier.db-shm',
    'search.db',
    'lock.db',
    'secrets.json',
    'settings.json',
  ],
  ['host.json', 'backups', 'damaged', 'logs', 'sessions'],
].flat()
/** Folders whose every entry is ours. */
const WHOLE = ['backups', 'damaged']

/** What other users of this machine can read, the data folder itself first. */
export function openToOthers(dataFolder: string): string[] {
  if (process.platform === 'win32') return []
  const inside = WHOLE.flatMap(folder => namesIn(join(dataFolder, folder)).map(name => join(folder, name)))
  return [dataFolder, ...[...OURS, ...inside].map(name => join(dataFolder, name))].filter(isOpen)
}

/** Closes all of it to others. @returns what was open. */
export function closeToOthers(dataFolder: string): string[] {
  const open = openToOthers(dataFolder)
  for (const path of open) chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600)
  return open
}

function isOpen(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & 0o077) !== 0
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []
}
