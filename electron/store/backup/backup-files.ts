import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type BackupName, backupFolder, damagedFolder, readBackupName, readStamp } from './places.ts'
import { outdated } from './retention.ts'

export interface BackupFile extends BackupName {
  readonly path: string
  readonly bytes: number
}

/** Newest first. What is not named as a backup of ours is left out. */
export function listBackupFiles(dataFolder: string): BackupFile[] {
  const folder = backupFolder(dataFolder)
  return namesIn(folder)
    .flatMap(name => readBackupName(name) ?? [])
    .map(backup => ({
      ...backup,
      path: join(folder, backup.name),
      bytes: bytesBelow(join(folder, backup.name)),
    }))
    .sort((one, other) => other.at - one.at || (one.name < other.name ? 1 : -1))
}

export function hasBackups(dataFolder: string): boolean {
  return listBackupFiles(dataFolder).length > 0
}

/** Removes what is past its number; see `retention.ts`. */
export function pruneBackups(dataFolder: string): void {
  const files = listBackupFiles(dataFolder)
  const damageAt = namesIn(damagedFolder(dataFolder)).flatMap(name => readStamp(name) ?? [])
  const gone = new Set(outdated(files, damageAt))
  for (const { name, path } of files) if (gone.has(name)) rmSync(path, { recursive: true, force: true })
}

/** What a process that ended meanwhile had begun to write. Only while nobody writes one. */
export function removePartials(dataFolder: string): void {
  const folder = backupFolder(dataFolder)
  for (const name of namesIn(folder)) {
    if (/\.partial(-journal|-wal|-shm)?$/.test(name))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Empty for a folder that is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Of a folder of logs: all that is in it. */
export function bytesBelow(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
}
