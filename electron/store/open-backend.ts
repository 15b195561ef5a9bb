import { existsSync } from 'node:fs'
import type { Backend, BackendOptions } from './backend.ts'
import { finishFolderSwap } from './backup/folder-backup.ts'
import { databaseFile } from './data-folder.ts'
import { formatFile, sessionsFolder } from './jsonl/format.ts'
import { openJsonlBackend } from './jsonl/jsonl-backend.ts'
import { openSafely } from './sqlite/open-safely.ts'

/** How a data folder keeps its sessions: in files where it says so, else in a database, also when there is none yet. */
export function backendOf(dataFolder: string): 'jsonl' | 'sqlite' {
  return existsSync(formatFile(sessionsFolder(dataFolder))) ? 'jsonl' : 'sqlite'
}

/** Whether a session was ever kept in the data folder. */
export function hasSessions(dataFolder: string): boolean {
  return backendOf(dataFolder) === 'jsonl' || existsSync(databaseFile(dataFolder))
}

/** @throws WorkbenchError `STORE_UNAVAILABLE` when what keeps the sessions cannot be opened. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  if (!options.readOnly) finishFolderSwap(options.dataFolder)
  return backendOf(options.dataFolder) === 'jsonl' ? openJsonlBackend(options) : openSafely(options)
}
