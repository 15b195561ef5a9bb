import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { messageOf } from '#shared/errors.ts'
import { settingsProblems } from '../settings-store.ts'
import { databaseFile } from '../store/data-folder.ts'
import { openStore } from '../store/store-client.ts'

export interface Examination {
  /** Faults, a sentence each. */
  readonly findings: readonly string[]
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[]
}

/**
 * Looks at everything in a data folder without changing any of it, also beside a running workbench: a second
 * reader of the database is no second writer.
 */
export async function examineFolder(dataFolder: string): Promise<Examination> {
  if (!existsSync(dataFolder)) return { findings: [], notes: ['There is no data folder yet.'] }
  const findings = [...openToOthers(dataFolder), ...settingsProblems(dataFolder)]
  if (!existsSync(databaseFile(dataFolder))) return { findings, notes: ['There are no sessions yet.'] }
  return { findings: [...findings, ...(await databaseProblems(dataFolder))], notes: [] }
}

async function databaseProblems(dataFolder: string): Promise<readonly string[]> {
  try {
    const store = await openStore({ dataFolder, readOnly: true })
    return await store.persistence.check().finally(() => store.close())
  } catch (error) {
    return [`${messageOf(error)}${causeOf(error)}`]
  }
}

/** The first line of what SQLite said: it names the damage. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error) || error.cause === undefined) return ''
  const [line = ''] = messageOf(error.cause).split('\n')
  return ` (${line})`
}

function openToOthers(dataFolder: string): string[] {
  if (process.platform === 'win32') return []
  return [dataFolder, databaseFile(dataFolder), join(dataFolder, 'secrets.json')]
    .filter(path => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
    .map(path => `Other users of this machine can read ${path}.`)
}
