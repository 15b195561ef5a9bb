import process from 'node:process'
import { createRouterClient } from '@orpc/server'
import type { Restored } from '#shared/contract/backups.ts'
import type { Log } from './log.ts'
import { type OpenWorkbench, replaceSessions } from './replace-sessions.ts'
import { createRouter } from './rpc/router.ts'
import type { ServedRouter } from './rpc/transport/peer.ts'
import type { SecretStore } from './secrets.ts'
import { createWorkbench, type RestoreRequest } from './workbench.ts'

export interface WorkbenchRequest {
  readonly shell: 'desktop' | 'browser'
  /** Its lock is held by this process, unless it is only viewed. */
  readonly dataFolder: string
  /** Nothing can be written there. */
  readonly viewOnly: boolean
  readonly workspace: string | null
  readonly secrets: SecretStore
  readonly log: Log
}

/** A workbench as a shell sees it: something to serve, and to close. */
export interface HostedWorkbench {
  readonly router: ServedRouter
  /** Its sessions were replaced: another router answers for them, and who is connected has to connect anew. */
  onReplaced(listener: (router: ServedRouter) => void): void
  /** Titles of the roots that work now, themselves or through a descendant. */
  running(): Promise<readonly string[]>
  /** Flushes, then resolves. Rejects when something could not be saved. */
  close(): Promise<void>
}

/** The answer to whoever asked for a restore goes out before its line is closed. */
const LAST_WORDS_MS = 100

/** The one place where both shells make the real thing. */
export async function openWorkbench(request: WorkbenchRequest): Promise<HostedWorkbench> {
  const listeners: ((router: ServedRouter) => void)[] = []
  let current: Promise<OpenWorkbench> = open()
  let replacing: Promise<unknown> = Promise.resolve()

  function open(): Promise<OpenWorkbench> {
    return openOne(request, restore)
  }

  function restore(wanted: RestoreRequest): Promise<Restored> {
    const restored = replacing.then(() =>
      replaceSessions(request.dataFolder, wanted, { current, open, replaceBy }),
    )
    replacing = restored.catch(() => undefined) // whoever asked is told
    return restored
  }

  function replaceBy(next: Promise<OpenWorkbench>): void {
    current = next
    next.then(
      ({ router }) => setTimeout(() => tell(router), LAST_WORDS_MS),
      () => undefined, // told to whoever asked for the restore
    )
  }

  function tell(router: ServedRouter): void {
    for (const listener of listeners) listener(router)
  }

  const { router } = await current
  return {
    router,
    onReplaced: listener => void listeners.push(listener),
    running: async () => (await current).running(),
    close: async () => {
      await replacing
      await (await current).workbench.close()
    },
  }
}

async function openOne(
  request: WorkbenchRequest,
  restore: (wanted: RestoreRequest) => Promise<Restored>,
): Promise<OpenWorkbench> {
  const workbench = await createWorkbench({ ...request, env: process.env, restore })
  await workbench.sample.playAtFirstStart()
  const router = createRouter(workbench)
  const shell = createRouterClient(router, { context: { connection: { id: 'shell' } } })
  return {
    workbench,
    router,
    async running() {
      const { sessions } = await shell.sessions.list({})
      const working = sessions.filter(
        ({ facts, rollup }) => facts.outcome?.kind === 'running' || rollup.running > 0,
      )
      return working.map(({ title, header }) => title ?? header.id.slice(0, 8))
    },
  }
}
