import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import { type BackupFile, listBackupFiles, pruneBackups, removePartials } from './backup-files.ts'
import { keepsFiles } from './folder-backup.ts'
import { type BackupReason, backupFolder, backupName, makePrivate } from './places.ts'
import { isDailyDue } from './retention.ts'
import { runFileTask } from './run-file-task.ts'

export interface Backup {
  readonly name: string
  /** Epoch ms. */
  readonly at: number
  readonly reason: BackupReason
  readonly bytes: number
  /** `null` when it cannot be read. */
  readonly sessions: number | null
}

/** The backups of one data folder. */
export interface Backups {
  /** Newest first. */
  list(): Promise<readonly Backup[]>
  /** Without reading any of them. */
  newest(): BackupFile | null
  /**
   * Copies the sessions as they are now, reads the copy, and removes what is past its number. One at a time.
   * @throws WorkbenchError `STORE_UNAVAILABLE` when it cannot be written: then nothing of it is left behind.
   */
  create(reason: BackupReason): Promise<Backup>
  isDailyDue(): boolean
  /** Breaks off what is being written. Resolves when nothing is any more. */
  stop(): Promise<void>
}

export function createBackups(dataFolder: string, now: () => number = Date.now): Backups {
  const ending = new AbortController()
  let last: Promise<unknown> = Promise.resolve()

  async function write(reason: BackupReason): Promise<Backup> {
    const at = now()
    const name = backupName(at, reason, keepsFiles(dataFolder) ? '' : '.db')
    const to = join(makePrivate(backupFolder(dataFolder)), name)
    removePartials(dataFolder)
    const { bytes, sessions } = await runFileTask('backup', { dataFolder, to }, ending.signal)
    pruneBackups(dataFolder)
    return { name, at, reason, bytes, sessions }
  }

  return {
    async list() {
      const files = listBackupFiles(dataFolder)
      const counts =
        files.length === 0 ? [] : await runFileTask('count', { files: files.map(({ path }) => path) })
      return files.map(({ name, at, reason, bytes }, index) => {
        return { name, at, reason, bytes, sessions: counts[index] ?? null }
      })
    },
    newest: () => listBackupFiles(dataFolder)[0] ?? null,
    create(reason) {
      const written = last.then(() => write(reason))
      last = written.catch(() => undefined) // whoever asked for it is told; the next one is not kept from trying
      return written
    },
    isDailyDue: () => isDailyDue(listBackupFiles(dataFolder), now()),
    stop: async () => {
      ending.abort(new WorkbenchError('CANCELLED', 'Espalier is closing.'))
      await last
    },
  }
}

/** @throws WorkbenchError `BAD_REQUEST` when there is no such backup. */
export function findBackup(dataFolder: string, name: string): BackupFile {
  const found = listBackupFiles(dataFolder).find(file => file.name === name)
  if (found === undefined) throw new WorkbenchError('BAD_REQUEST', `There is no backup ${name}.`)
  return found
}
