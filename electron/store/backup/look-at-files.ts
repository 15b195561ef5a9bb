import { existsSync, statSync } from 'node:fs'
import { databaseFile } from '../data-folder.ts'
import { hasBackups } from './backup-files.ts'
import { foundDamage } from './found-damage.ts'

export interface FileLook {
  /** Faults, a sentence each. */
  readonly findings: string[]
  readonly notes: string[]
  /** Nobody may open it: SQLite would take it for a new database. */
  readonly isEmpty: boolean
  /** There was one: its backups or its WAL are there. */
  readonly isGone: boolean
  /** Neither running nor closed: the process that had it open was killed. */
  readonly afterCrash: boolean
  readonly isWalGone: boolean
}

/** What the files beside and around a database say, without opening any of them. */
export function lookAtFiles(dataFolder: string): FileLook {
  const file = databaseFile(dataFolder)
  const size = sizeOf(file)
  const wal = sizeOf(`${file}-wal`)
  const isWalGone = wal === null && size !== null && existsSync(`${file}-shm`)
  const findings: string[] = []
  const found = foundDamage(dataFolder)
  if (found !== null) findings.push(`Damage was met while the sessions were in use (${found}).`)
  if (size === 0) findings.push('The session database is empty.')
  const isGone = size === null && (hasBackups(dataFolder) || (wal ?? 0) > 0)
  if (isGone) findings.push('The session database is gone.')
  if (isWalGone) {
    findings.push(
      'The file with what was saved last (espalier.db-wal) is gone: the end of the latest sessions may be missing.',
    )
  }
  return {
    findings,
    notes: [],
    isEmpty: size === 0,
    isGone,
    afterCrash: (wal ?? 0) > 0 || isWalGone,
    isWalGone,
  }
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null
}
