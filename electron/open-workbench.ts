import process from 'node:process'
import { createRouterClient } from '@orpc/server'
import type { Log } from './log.ts'
import { createRouter } from './rpc/router.ts'
import type { ServedRouter } from './rpc/transport/peer.ts'
import type { SecretStore } from './secrets.ts'
import { createWorkbench } from './workbench.ts'

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
  /** Titles of the roots that work now, themselves or through a descendant. */
  running(): Promise<readonly string[]>
  /** Flushes, then resolves. Rejects when something could not be saved. */
  close(): Promise<void>
}

/** The one place where both shells make the real thing. */
export async function openWorkbench(request: WorkbenchRequest): Promise<HostedWorkbench> {
  const workbench = await createWorkbench({ ...request, env: process.env })
  await workbench.sample.playAtFirstStart()
  const router = createRouter(workbench)
  const shell = createRouterClient(router, { context: { connection: { id: 'shell' } } })
  return {
    router,
    async running() {
      const { sessions } = await shell.sessions.list({})
      const working = sessions.filter(
        ({ facts, rollup }) => facts.outcome?.kind === 'running' || rollup.running > 0,
      )
      return working.map(({ title, header }) => title ?? header.id.slice(0, 8))
    },
    close: () => workbench.close(),
  }
}
