import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import { backupFolder, makePrivate, stampOf } from '../backup/places.ts'
import { databaseFile } from '../data-folder.ts'
import type { EncodingName } from '../jsonl/encoding.ts'
import { sessionsFolder } from '../jsonl/format.ts'
import { makeSessionsFolder } from '../jsonl/make-format.ts'
import { syncFolder } from '../jsonl/side-files.ts'
import { backendOf, openBackend } from '../open-backend.ts'
import type { SessionSource, SessionTarget } from './carried.ts'
import { type Compared, compareStores } from './compare.ts'
import { JsonlSource } from './jsonl-source.ts'
import { JsonlTarget } from './jsonl-target.ts'
import { SqliteSource } from './sqlite-source.ts'
import { removeDatabase, SqliteTarget } from './sqlite-target.ts'

export type Keeping = 'jsonl' | 'sqlite'

export interface Move {
  readonly dataFolder: string
  readonly to: Keeping
  /** Of new logs in files. */
  readonly encoding: EncodingName
}

export interface MoveReport extends Compared {
  /** Sentences about what could not be carried and is left where the old data is. */
  readonly left: readonly string[]
  /** Where the old data is now; `null` when there was none. */
  readonly backup: string | null
}

/**
 * Moves all sessions of a data folder whose lock this process holds into the other way of keeping them. The new ones
 * are made beside the old ones, read again and compared with them, and only then take their place; the old ones are put
 * into the folder of backups. Whatever ends it before leaves the old ones in use, and it can be begun anew.
 * @returns `null` when they are kept that way already.
 * @throws Difference when what was made is not the same; WorkbenchError when the sessions cannot be opened.
 */
export async function moveStore({ dataFolder, to, encoding }: Move): Promise<MoveReport | null> {
  const sessions = sessionsFolder(dataFolder)
  await bringUpToDate(dataFolder)
  if (backendOf(dataFolder) === to) {
    if (to === 'jsonl') makeSessionsFolder(sessions, encoding)
    return null
  }
  const { source, target, made, reopen } =
    to === 'jsonl' ? toFiles(dataFolder, encoding) : toDatabase(dataFolder)
  const compared = carry(source, target, reopen)
  const old = to === 'jsonl' ? databaseFile(dataFolder) : sessions
  const aside = join(makePrivate(backupFolder(dataFolder)), `before-${to}-${stampOf(Date.now())}`)
  // One rename decides: a folder of sessions with its format is what is used.
  const backup =
    to === 'jsonl'
      ? putInFiles(made, sessions, old, aside)
      : putInDatabase(made, databaseFile(dataFolder), old, aside)
  dropIndex(dataFolder)
  syncFolder(dataFolder)
  return { ...compared, left: source.left, backup }
}

/** An older database is brought up to date, what a kill left is cleared away. */
async function bringUpToDate(dataFolder: string): Promise<void> {
  const backend = await openBackend({ dataFolder, units: [], readOnly: false })
  backend.close()
  if (!backend.readOnly) return
  throw new WorkbenchError(
    'STORE_READ_ONLY',
    'The sessions were written by a newer Espalier: they cannot be moved.',
  )
}

interface Making {
  readonly source: SessionSource
  readonly target: SessionTarget
  /** Where the target is made. */
  readonly made: string
  readonly reopen: () => SessionSource
}

function toFiles(dataFolder: string, encoding: EncodingName): Making {
  const made = `${sessionsFolder(dataFolder)}.new`
  return {
    source: new SqliteSource(databaseFile(dataFolder)),
    target: new JsonlTarget(made, encoding),
    made,
    reopen: () => new JsonlSource(made),
  }
}

function toDatabase(dataFolder: string): Making {
  const made = `${databaseFile(dataFolder)}.new`
  return {
    source: new JsonlSource(sessionsFolder(dataFolder)),
    target: new SqliteTarget(made),
    made,
    reopen: () => new SqliteSource(made),
  }
}

function carry(source: SessionSource, target: SessionTarget, reopen: () => SessionSource): Compared {
  try {
    for (const session of source.sessions()) target.add(session, source)
    target.finish(source.units)
    const written = reopen()
    try {
      return compareStores(source, written)
    } finally {
      written.close()
    }
  } catch (error) {
    target.abandon()
    throw error
  } finally {
    source.close()
  }
}

function putInFiles(made: string, sessions: string, database: string, aside: string): string | null {
  // A folder of that name that says no format is someone else's.
  if (existsSync(sessions)) renameSync(sessions, join(makePrivate(aside), basename(sessions)))
  renameSync(made, sessions)
  return moveDatabase(database, aside)
}

function putInDatabase(made: string, database: string, sessions: string, aside: string): string | null {
  moveDatabase(database, aside)
  renameSync(made, database)
  removeDatabase(made)
  renameSync(sessions, join(makePrivate(aside), basename(sessions)))
  return aside
}

function moveDatabase(database: string, aside: string): string | null {
  const files = ['', '-wal', '-shm'].map(suffix => database + suffix).filter(file => existsSync(file))
  for (const file of files) renameSync(file, join(makePrivate(aside), basename(file)))
  return files.length === 0 ? null : aside
}

/** Made from the logs, and made again: it names sessions by what the old way called them. */
function dropIndex(dataFolder: string): void {
  for (const name of readdirSync(dataFolder)) {
    const path = join(dataFolder, name)
    if (/^search\.db(-wal|-shm)?$/.test(name) && statSync(path).isFile()) rmSync(path)
  }
}
