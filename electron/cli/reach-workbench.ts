import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { resolveDataFolder } from '../data-folder.ts'
import { createFileLog } from '../file-log.ts'
import { createFileSecrets } from '../file-secrets.ts'
import { silentLog } from '../log.ts'
import { connectToHost, type WorkbenchClient } from '../rpc/transport/local-client.ts'
import type { SecretStore } from '../secrets.ts'
import { openingText } from '../store/backup/rescue-text.ts'
import { type Lock, takeLock } from '../store/lock.ts'
import { hasSessions } from '../store/open-backend.ts'
import type { Workbench } from '../workbench.ts'
import type { CommonOptions } from './command-options.ts'
import { CommandFailure } from './failure.ts'
import { complain } from './output.ts'

/** How long a data folder may be in use by something that cannot be reached: a start, or another command. */
const PATIENCE_MS = 2000
const LOOK_EVERY_MS = 100

/** The command line never asks a model, so it needs no key. It knows those of the browser shell, to redact them. */
function noSecrets(dataFolder: string): SecretStore {
  const { known } = createFileSecrets({ path: join(dataFolder, 'secrets.json'), log: silentLog })
  return {
    place: 'The command line keeps no keys.',
    get: () => null,
    known,
    set: () => Promise.reject(new Error('The command line keeps no keys.')),
  }
}

/** Whether something was ever kept in the data folder. Reading commands make none. */
export function hasData({ home }: CommonOptions): boolean {
  return hasSessions(resolveDataFolder({ home }))
}

/**
 * Hands `work` the contract of the data folder: of the workbench that runs on it, else of one that is opened for
 * this and closed behind it. There is never a second writer.
 * @throws CommandFailure when someone holds the folder and cannot be reached.
 */
export async function reachWorkbench<T>(
  options: CommonOptions,
  work: (client: WorkbenchClient) => Promise<T>,
): Promise<T> {
  return aloneOrWithWorkbench(options, {
    alone: (lock, dataFolder) => workAlone(dataFolder, lock, work),
    withWorkbench: work,
  })
}

export interface Ways<T> {
  /** `lock` is given back behind it; `null` where nothing can be written. */
  alone(lock: Lock | null, dataFolder: string): Promise<T>
  withWorkbench(client: WorkbenchClient): Promise<T>
}

/** As `reachWorkbench`, for what is done in another way where no workbench runs. */
export async function aloneOrWithWorkbench<T>({ home }: CommonOptions, ways: Ways<T>): Promise<T> {
  const dataFolder = resolveDataFolder({ home })
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const result = takeLock(dataFolder)
    if (result.kind !== 'held') {
      const lock = result.kind === 'taken' ? result.lock : null
      return ways.alone(lock, dataFolder).finally(() => lock?.release())
    }
    const host = await connectToHost(dataFolder)
    if (host !== null) return ways.withWorkbench(host.client).finally(() => host.close())
    if (performance.now() > until) throw new CommandFailure(inUse(dataFolder))
    await setTimeout(LOOK_EVERY_MS)
  }
}

/**
 * For commands that write past the contract: the lock of a data folder that no one else uses.
 * @throws CommandFailure when another process does.
 */
export function lockAlone(dataFolder: string): Lock {
  const result = takeLock(dataFolder)
  if (result.kind === 'taken') return result.lock
  if (result.kind === 'read-only')
    throw new CommandFailure(`The data folder ${dataFolder} cannot be written to.`)
  throw new CommandFailure(`Espalier is running with the data folder ${dataFolder}; end it first.`)
}

async function workAlone<T>(
  dataFolder: string,
  lock: Lock | null,
  work: (client: WorkbenchClient) => Promise<T>,
): Promise<T> {
  const { createClient, createWorkbench } = await loadWorkbench()
  const secrets = noSecrets(dataFolder)
  const workbench = await createWorkbench({
    dataFolder,
    shell: 'browser',
    workspace: null,
    secrets,
    viewOnly: lock === null,
    log: lock === null ? silentLog : createFileLog(dataFolder, 'command-line', secrets.known),
    env: process.env,
  })
  // There is no window that says it.
  complain(openingText(workbench.store.opening) ?? '')
  return work(createClient(workbench)).finally(() => workbench.close())
}

/** Only here: loading the whole workbench takes longer than most commands. */
async function loadWorkbench() {
  const [{ createRouterClient }, { createRouter }, { createWorkbench }] = await Promise.all([
    import('@orpc/server'),
    import('../rpc/router.ts'),
    import('../workbench.ts'),
  ])
  const context = { connection: { id: 'command line' } }
  const createClient = (workbench: Workbench): WorkbenchClient =>
    createRouterClient(createRouter(workbench), { context })
  return { createClient, createWorkbench }
}

function inUse(dataFolder: string): string {
  return `Another process uses the data folder ${dataFolder} and cannot be reached; try again when it has ended.`
}
