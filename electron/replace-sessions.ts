import type { Restored } from '#shared/contract/backups.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { ServedRouter } from './rpc/transport/peer.ts'
import { untilSaved } from './session/until-saved.ts'
import { commitRestore, forgetRestore, prepareRestore, undoRestore } from './store/backup/restore.ts'
import type { RestoreRequest, Workbench } from './workbench.ts'

export interface OpenWorkbench {
  readonly workbench: Workbench
  readonly router: ServedRouter
  /** Titles of the roots that work now. */
  running(): Promise<readonly string[]>
}

export interface Replacing {
  readonly current: Promise<OpenWorkbench>
  readonly open: () => Promise<OpenWorkbench>
  /** From now on this one is the workbench, as soon as it is open. */
  readonly replaceBy: (next: Promise<OpenWorkbench>) => void
}

/** What was done last has so long to become durable. */
const PATIENCE_MS = 10_000

/**
 * Puts a backup in the place of the sessions and opens the workbench anew, in this process. The backup is copied and
 * read before anything is closed; what cannot be opened afterwards is taken back. What was there is kept.
 * @throws WorkbenchError `SESSION_BUSY` while something works and it was not said to stop it, `NOT_SAVED` while
 * something cannot be saved: then nothing has changed.
 */
export async function replaceSessions(
  dataFolder: string,
  { name, stopWork = false }: RestoreRequest,
  { current, open, replaceBy }: Replacing,
): Promise<Restored> {
  const { workbench, running } = await current
  const working = await running()
  if (working.length > 0 && !stopWork) throw busy(working)
  const sessions = await prepareRestore(dataFolder, name)
  await untilSaved(workbench.live, AbortSignal.timeout(PATIENCE_MS))
  if (workbench.live.trouble !== null) {
    forgetRestore(dataFolder)
    throw new WorkbenchError('NOT_SAVED', 'Nothing was restored: what happened last cannot be saved.')
  }
  const next = closeAndSwap(dataFolder, workbench, open)
  replaceBy(next.then(({ opened }) => opened))
  const { kept, failure } = await next
  if (failure !== null) throw failure
  workbench.log.info(`Restored ${name}: ${sessions} sessions.`)
  return { sessions, kept }
}

async function closeAndSwap(dataFolder: string, workbench: Workbench, open: Replacing['open']) {
  await workbench.close().catch((error: unknown) => {
    workbench.log.error('Not everything could be saved before a restore', error)
  })
  const aside = commitRestore(dataFolder)
  const kept = aside === null ? null : `${aside.folder}/${aside.name}`
  try {
    return { opened: await open(), kept, failure: null }
  } catch (failure) {
    workbench.log.error('What was restored cannot be opened; what was there before is taken back', failure)
    undoRestore(dataFolder, aside)
    return { opened: await open(), kept, failure }
  }
}

const NAMED = 3

function busy(working: readonly string[]): WorkbenchError {
  const named = working.slice(0, NAMED).map(title => `“${title}”`)
  const more = working.length > NAMED ? [`${working.length - NAMED} more`] : []
  const names = [...named, ...more].join(', ')
  return new WorkbenchError('SESSION_BUSY', `Agents are working (${names}). Restoring a backup stops them.`)
}
