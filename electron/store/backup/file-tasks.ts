import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { databaseFile } from '../data-folder.ts'
import { sessionsFolder } from '../jsonl/format.ts'
import { checkDatabase } from '../sqlite/check.ts'
import { copyDatabase } from './copy-files.ts'
import { copySessionsFolder, keepsFiles, sessionsBelow } from './folder-backup.ts'
import { isUnreadable } from './unreadable.ts'
import { makeWhole, removeDatabase, sessionsIn, type WrittenBackup, writeBackup } from './write-backup.ts'

/** What the thread for files can be asked to do, and what it answers. Structured-clone data. */
export interface FileTasks {
  /** Copies the sessions in use to `to`. */
  backup: {
    readonly ask: { readonly dataFolder: string; readonly to: string }
    readonly answer: WrittenBackup
  }
  /** How many sessions each of these files holds; `null` for one that cannot be read. */
  count: { readonly ask: { readonly files: readonly string[] }; readonly answer: readonly (number | null)[] }
  /** Makes a sound copy of a backup at `to`, or says why it cannot be used. */
  copyBackup: { readonly ask: { readonly from: string; readonly to: string }; readonly answer: WrittenBackup }
  /** The first thing that is wrong with the pages of the database in use, `null` when nothing is. */
  quickCheck: { readonly ask: { readonly dataFolder: string }; readonly answer: string | null }
  /** What a doctor says of the database in use: everything that is wrong with it, a sentence each. */
  check: { readonly ask: { readonly dataFolder: string }; readonly answer: readonly string[] }
}

export type FileTaskName = keyof FileTasks
export type FileTask = {
  readonly [N in FileTaskName]: { readonly name: N; readonly ask: FileTasks[N]['ask'] }
}[FileTaskName]

export async function doTask(task: FileTask): Promise<FileTasks[FileTaskName]['answer']> {
  switch (task.name) {
    case 'backup':
      return backUp(task.ask.dataFolder, task.ask.to)
    case 'count':
      return task.ask.files.map(file => (file.endsWith('.db') ? sessionsIn(file) : sessionsBelow(file)))
    case 'copyBackup':
      return copyBackup(task.ask.from, task.ask.to)
    case 'check':
      return onDatabase(task.ask.dataFolder, checkDatabase)
    case 'quickCheck':
      return onDatabase(task.ask.dataFolder, quickCheck)
  }
}

async function onDatabase<T>(
  dataFolder: string,
  work: (db: Database.Database) => T | Promise<T>,
): Promise<T> {
  const db = new Database(databaseFile(dataFolder), { readonly: true, fileMustExist: true })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

async function backUp(dataFolder: string, to: string): Promise<WrittenBackup> {
  if (keepsFiles(dataFolder)) return copySessionsFolder(sessionsFolder(dataFolder), to)
  return onDatabase(dataFolder, db => writeBackup(db, to))
}

function copyBackup(from: string, to: string): WrittenBackup {
  if (!from.endsWith('.db')) {
    rmSync(to, { recursive: true, force: true })
    return copySessionsFolder(from, to)
  }
  removeDatabase(to)
  copyDatabase(from, to)
  return { bytes: 0, sessions: makeWhole(to) }
}

/** Table by table: each is a reading transaction of its own, so that the WAL need not grow for all of them together. */
function quickCheck(db: Database.Database): string | null {
  const tables = db.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
  for (const table of tables) {
    try {
      const [line] = db.prepare<[], string>(`PRAGMA quick_check('${table}')`).pluck().all()
      if (line !== undefined && line !== 'ok') return line.replaceAll(/\s+/g, ' ')
    } catch (error) {
      if (!isUnreadable(error)) throw error
      return `the table ${table} cannot be read`
    }
  }
  return null
}
