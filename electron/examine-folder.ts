import { existsSync } from 'node:fs'
import { messageOf } from '#shared/errors.ts'
import { settingsProblems } from './settings-store.ts'
import { lookAtFiles } from './store/backup/look-at-files.ts'
import { openToOthers } from './store/backup/modes.ts'
import { runFileTask } from './store/backup/run-file-task.ts'
import { databaseFile } from './store/data-folder.ts'
import { backendOf } from './store/open-backend.ts'
import { openStore } from './store/store-client.ts'

export interface Examination {
  /** Faults, a sentence each. */
  readonly findings: string[]
  /** What is worth knowing and no fault. */
  readonly notes: string[]
}

/**
 * Looks at everything in a data folder without changing any of it, also beside a running workbench: a second
 * reader of the database is no second writer.
 */
export async function examineFolder(dataFolder: string): Promise<Examination> {
  if (!existsSync(dataFolder)) return { findings: [], notes: ['There is no data folder yet.'] }
  const open = openToOthers(dataFolder).map(path => `Other users of this machine can read ${path}.`)
  const findings = [...open, ...settingsProblems(dataFolder)]
  if (backendOf(dataFolder) === 'jsonl') {
    return { findings: [...findings, ...(await said(() => checkFiles(dataFolder)))], notes: [] }
  }
  const files = lookAtFiles(dataFolder)
  const isThere = existsSync(databaseFile(dataFolder)) && !files.isEmpty
  const found = isThere ? await said(() => runFileTask('check', { dataFolder })) : []
  const notes =
    isThere || files.findings.length > 0 ? files.notes : ['There are no sessions yet.', ...files.notes]
  return { findings: [...findings, ...files.findings, ...found], notes }
}

async function checkFiles(dataFolder: string): Promise<readonly string[]> {
  const store = await openStore({ dataFolder, readOnly: true })
  return store.persistence.check().finally(() => store.close())
}

/** What keeps the sessions from being looked at is a fault like any other. */
async function said(check: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await check()
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
