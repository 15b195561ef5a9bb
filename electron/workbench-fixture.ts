import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApprovalMode } from '#shared/session/approval-mode.ts'
import { textContent } from '#shared/session/content.ts'
import type { ModelRoute, StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import { silentLog } from './log.ts'
import { describeModelError } from './model/model-errors.ts'
import type { ScriptedModel } from './model/scripted-model.ts'
import { createWorkbench, type Workbench, type WorkbenchOptions } from './workbench.ts'

/** For tests: the real composition root in a temporary folder, with one scripted model behind every route. */
export interface TestWorkbench {
  readonly workbench: Workbench
  readonly model: ScriptedModel
  /** The folder that sessions work in. */
  readonly folder: string
  readonly dataFolder: string
  /** A new root session. */
  root(mode?: ApprovalMode): Promise<SessionId>
  /** Sends a message and waits until the session, and everything under it, is idle. */
  prompt(id: SessionId, text: string): Promise<void>
  send(id: SessionId, text: string): Promise<string>
  /** The whole log as stored. */
  log(id: SessionId): Promise<readonly StoredEvent[]>
  /** Resolves when `condition` holds; fails after five seconds. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>
  outcome(id: SessionId): Promise<Outcome | null>
  /** Ends this workbench without a flush or a goodbye, and opens the same data folder again. */
  restart(): Promise<TestWorkbench>
  dispose(): Promise<void>
}

export interface TestOptions
  extends Partial<Pick<WorkbenchOptions, 'now' | 'newId' | 'newSessionId' | 'openStore' | 'viewOnly'>> {
  readonly model: ScriptedModel
  readonly at?: string
  /** Throws for routes that cannot be used. */
  readonly requireRoute?: (route: ModelRoute) => void
}

export async function openTestWorkbench(options: TestOptions): Promise<TestWorkbench> {
  const { model, at = await mkdtemp(join(tmpdir(), 'espalier-')), requireRoute, ...rest } = options
  const folder = join(at, 'project')
  const dataFolder = join(at, 'data')
  await mkdir(folder, { recursive: true })
  const workbench = await createWorkbench({
    dataFolder,
    shell: 'browser',
    workspace: folder,
    home: at,
    env: { PATH: process.env['PATH'] },
    log: silentLog,
    secrets: { get: () => null, known: () => [], set: async () => {}, place: 'nowhere' },
    models: () => ({
      list: () => [],
      defaultRoute: () => ({ provider: 'rehearsal', model: 'rehearsal' }),
      resolve: route => {
        requireRoute?.(route)
        return model
      },
      contextWindow: () => null,
      cost: () => undefined,
      test: async () => ({ ok: true, message: 'Scripted.', models: [] }),
      discover: async () => {},
      describeError: (error, { provider }) => describeModelError(error, provider),
    }),
    ...rest,
  })
  const { activations, live, store, actions, messaging } = workbench

  const until: TestWorkbench['until'] = async condition => {
    const deadline = performance.now() + 5000
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error('the condition did not come true')
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  const isIdle = (id: SessionId) =>
    activations.get(id)?.agent.isRunning !== true && activations.under(id).length === 0
  const send: TestWorkbench['send'] = (id, text) =>
    messaging.send({ kind: 'person' }, id, textContent(text), 'queue')

  return {
    workbench,
    model,
    folder,
    dataFolder,
    send,
    until,
    root: (approvalMode = 'workspace') =>
      actions.create({ cwd: folder, route: { provider: 'rehearsal', model: 'rehearsal' }, approvalMode }),
    async prompt(id, text) {
      await send(id, text)
      await until(() => isIdle(id))
      await live.flush()
    },
    async log(id) {
      await live.flush()
      return store.persistence.readFrom(id, 0, 100_000)
    },
    async outcome(id) {
      const values = workbench.registry.snapshot(id)?.values ?? (await store.checkpoints.snapshot(id)).values
      return (values['outcome'] ?? null) as Outcome | null
    },
    async restart() {
      await store.close()
      return openTestWorkbench({ ...options, at })
    },
    async dispose() {
      await workbench.close().catch(() => undefined)
      // What still runs in there may make a file meanwhile.
      await rm(at, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
