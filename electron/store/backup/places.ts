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

const NAME = /^espalier-([0-9TZ]+)-([a-z-]+?)(?:\.db)?$/
const STAMP = /^espalier-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/

/** `null` for anything that is not named as a backup of ours: half-written ones among them. */
export function readBackupName(name: string): BackupName | null {
  const reason = BACKUP_REASONS.find(candidate => candidate === NAME.exec(name)?.[2])
  const at = readStamp(name)
  return reason === undefined || at === null ? null : { name, at, reason }
}

/** The time (epoch ms) in the name of a file of ours, `null` where there is none. */
export function readStamp(name: string): number | null {
  const [, year, month, day, hour, minute, second, ms] = STAMP.exec(name) ?? []
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(at) ? null : at
}
