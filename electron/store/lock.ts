import { chmodSync, existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { databaseFile, lockFile, makeDataFolder } from './data-folder.ts'
import { type Host, readHost } from './host-file.ts'
import { formatFile, sessionsFolder } from './jsonl/format.ts'
import { mediumFault, systemCodeOf } from './medium.ts'

/** Held for the life of the process; the system frees it when the process ends, however it ends. */
export interface Lock {
  /** For tests and an orderly end. Idempotent. */
  release(): void
}

export type LockResult =
  | { readonly kind: 'taken'; readonly lock: Lock }
  /** Another workbench owns the data folder; `host` says how to reach it, `null` while it is still starting. */
  | { readonly kind: 'held'; readonly host: Host | null }
  /** Nothing can be written there, by anyone like us: its sessions can be looked at, without a lock. */
  | { readonly kind: 'read-only' }

/** Without a reference the connection would be collected, and the lock with it. */
const held = new Set<Database.Database>()

/**
 * Makes this process the one workbench of a data folder. Never waits. Call it on the main thread, before
 * anything is written there.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when the folder cannot be made or written.
 */
export function takeLock(dataFolder: string): LockResult {
  try {
    makeDataFolder(dataFolder)
    const db = begin(lockFile(dataFolder))
    if (db === null) return { kind: 'held', host: readHost(dataFolder) }
    held.add(db)
    const release = (): void => {
      if (held.delete(db)) db.close()
    }
    return { kind: 'taken', lock: { release } }
  } catch (error) {
    if (isReadOnly(error) && keepsSessions(dataFolder)) return { kind: 'read-only' }
    throw new WorkbenchError('STORE_UNAVAILABLE', 'The data folder cannot be used.', { cause: error })
  }
}

/** In a database or in files, readable or not: opening them says that. */
function keepsSessions(dataFolder: string): boolean {
  return existsSync(databaseFile(dataFolder)) || existsSync(formatFile(sessionsFolder(dataFolder)))
}

function isReadOnly(error: unknown): boolean {
  const code = systemCodeOf(error)
  return code !== null && mediumFault(code) === 'read-only'
}

/** `null` when another connection holds the file. */
function begin(file: string): Database.Database | null {
  const db = new Database(file, { timeout: 0 })
  try {
    // Nothing is ever written into it; a journal beside it would need room that a full disk has not.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    chmodSync(file, 0o600)
    return db
  } catch (error) {
    db.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null
    throw error
  }
}
