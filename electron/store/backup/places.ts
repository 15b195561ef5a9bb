import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Why a backup was made. It is part of its name. */
export const BACKUP_REASONS = ['daily', 'manual', 'migration', 'before-restore', 'before-repair'] as const
export type BackupReason = (typeof BACKUP_REASONS)[number]

export interface BackupName {
  /** As it lies in the folder `backups`. */
  readonly name: string
  /** Epoch ms. */
  readonly at: number
  readonly reason: BackupReason
}

export function backupFolder(dataFolder: string): string {
  return join(dataFolder, 'backups')
}

/** Where files that cannot be used are kept. Nothing in it is ever deleted by Espalier. */
export function damagedFolder(dataFolder: string): string {
  return join(dataFolder, 'damaged')
}

/** Makes a folder of ours, closed to others, and gives its path. */
export function makePrivate(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  return folder
}

/** `2026-11-30T15:12:00.123Z` as it is written in names of files: sorts by time, holds nothing a file system minds. */
export function stampOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '')
}

/** `extension`: `.db` for a file of SQLite's, none for a folder of logs. */
export function backupName(at: number, reason: BackupReason, extension: '.db' | '' = '.db'): string {
  return `espalier-${stampOf(at)}-${reason}${extension}`
}

const NAME = /^espalier-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-([a-z-]+?)(?:\.db)?$/

/** `null` for anything that is not named as a backup of ours: half-written ones among them. */
export function readBackupName(name: string): BackupName | null {
  const [, year, month, day, hour, minute, second, ms, reason] = NAME.exec(name) ?? []
  const known = BACKUP_REASONS.find(candidate => candidate === reason)
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return known === undefined || Number.isNaN(at) ? null : { name, at, reason: known }
}
