import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { databaseFile, makeDataFolder } from './data-folder.ts'
import { type MediumFault, mediumFault, systemCodeOf } from './medium.ts'
import { copyPrivately } from './private-copy.ts'

/** Why sessions that could not be opened for writing are shown all the same. */
export type ViewReason = Extract<MediumFault, 'full' | 'read-only'>

export interface Opened<T> {
  readonly started: T
  /** `null`: they were opened as asked. */
  readonly viewing: ViewReason | null
  /** To be called when what was started is closed. */
  readonly leave: () => void
}

/** Backups and virus scanners hold a file for a moment; whoever holds it longer is told of. */
const LOCK_PATIENCE_MS = 3000
const LOOK_AGAIN_MS = 250

/**
 * Opens a data folder for writing; where its disk is full or can only be read, for reading, from a private copy where
 * even that takes room beside the database. Waits a moment for a program that has it locked.
 * @throws what `start` throws, when there is nothing to show.
 */
export async function openOrView<T>(
  dataFolder: string,
  viewOnly: boolean,
  start: (folder: string, readOnly: boolean) => Promise<T>,
): Promise<Opened<T>> {
  const patiently = (folder: string, readOnly: boolean) => waitForLock(() => start(folder, readOnly))
  if (viewOnly) return view(dataFolder, 'read-only', patiently)
  try {
    return opened(await patiently(made(dataFolder), false))
  } catch (error) {
    const reason = reasonToView(error)
    if (reason === null) throw error
    // When it cannot be shown either, why it could not be opened is what a person can do something about.
    return view(dataFolder, reason, patiently).catch(() => Promise.reject(error))
  }
}

async function view<T>(
  dataFolder: string,
  viewing: ViewReason,
  start: (folder: string, readOnly: boolean) => Promise<T>,
): Promise<Opened<T>> {
  try {
    return { ...opened(await start(dataFolder, true)), viewing }
  } catch (error) {
    const database = databaseFile(dataFolder)
    if (reasonToView(error) === null || !existsSync(database)) throw error
    const copy = copyPrivately([database, `${database}-wal`])
    try {
      return { started: await start(copy.folder, true), viewing, leave: copy.remove }
    } catch (problem) {
      copy.remove()
      throw problem
    }
  }
}

function opened<T>(started: T): Opened<T> {
  return { started, viewing: null, leave: () => {} }
}

function made(dataFolder: string): string {
  makeDataFolder(dataFolder)
  return dataFolder
}

function reasonToView(error: unknown): ViewReason | null {
  const fault = faultOf(error)
  return fault === 'full' || fault === 'read-only' ? fault : null
}

function faultOf(error: unknown): MediumFault | null {
  const code = systemCodeOf(error)
  return code === null ? null : mediumFault(code)
}

async function waitForLock<T>(attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + LOCK_PATIENCE_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (faultOf(error) !== 'locked' || performance.now() > until) throw error
      await setTimeout(LOOK_AGAIN_MS)
    }
  }
}
