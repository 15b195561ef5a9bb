import { type BuilderConfig, implement } from '@orpc/server'
import { contract } from '#shared/contract.ts'
import { wireEvent, wireEvents } from '#shared/session/wire-events.ts'
import { examineFolder } from '../examine-folder.ts'
import { listChildren } from '../subagent/catalog/list-children.ts'
import { listDescendants } from '../subagent/catalog/list-descendants.ts'
import type { Workbench } from '../workbench.ts'
import { requireRoot, requireSubagent } from './addressing.ts'
import { createSettingsChanges } from './change-settings.ts'
import { toWireError } from './errors.ts'
import { browseFolders, openWorkspace } from './folders.ts'
import { hostInfo } from './host-info.ts'
import { readOutput } from './read-output.ts'
import { createTexts } from './read-text.ts'
import { recordReport } from './record-report.ts'
import { restoreBackup } from './restore-backup.ts'
import type { ConnectionContext } from './transport/peer.ts'
import { createWarmUp } from './warm-up.ts'

const PERSON = { kind: 'person' } as const

/** The contract, answered by the workbench's services: one line each, no rule of its own. */
export function createRouter(workbench: Workbench) {
  const { actions, approvals, backups, catalog, history, imports, log, messaging } = workbench
  const { models, options, overview, query, search, settings, storage, store, streams } = workbench

  const os = implementer({})
  // What is long is not looked through again on its way out: our own reads made it, of what was checked as it came in.
  const bulk = implementer({ initialOutputValidationIndex: Number.NaN })

  const texts = createTexts(history)
  const warmUp = createWarmUp({ catalog, history })
  const changes = createSettingsChanges(settings, options.secrets)

  return os.router({
    sessions: {
      list: bulk.sessions.list.handler(async ({ input, signal }) => {
        const list = await overview.list(input.archived ?? false, signal)
        warmUp(list.sessions)
        return list
      }),
      get: os.sessions.get.handler(({ input, signal }) => overview.get(input.sessionId, signal)),
      trace: os.sessions.trace.handler(({ input, signal }) => query.traceSession(input.sessionId, signal)),
      create: os.sessions.create.handler(async ({ input }) => {
        const { cwd, route = models.defaultRoute(), approvalMode = settings.get().approvalMode } = input
        const sessionId = await actions.create({ cwd, route, approvalMode })
        return { sessionId }
      }),
      fork: os.sessions.fork.handler(async ({ input }) => ({
        sessionId: await actions.fork(input.sessionId, input.atSeq),
      })),
      rename: os.sessions.rename.handler(({ input }) => done(actions.rename(input.sessionId, input.title))),
      archive: os.sessions.archive.handler(async ({ input }) => ({
        sessions: await actions.archive(input.sessionId, input.archived),
      })),
      trash: os.sessions.trash.handler(async ({ input }) => ({
        sessions: await actions.trash(input.sessionId, input.stopRunning),
      })),
      restore: os.sessions.restore.handler(async ({ input }) => ({
        sessions: await actions.restore(input.sessionId),
      })),
      trashed: os.sessions.trashed.handler(async () => ({ trees: [...(await store.persistence.trashed())] })),
      purge: os.sessions.purge.handler(async ({ input }) => ({
        sessions: await store.persistence.purge(input.sessionId),
      })),
      setModel: os.sessions.setModel.handler(({ input }) =>
        done(actions.setModel(input.sessionId, input.route)),
      ),
      setApprovalMode: os.sessions.setApprovalMode.handler(({ input }) =>
        done(actions.setApprovalMode(input.sessionId, input.mode)),
      ),
    },
    history: {
      page: bulk.history.page.handler(async ({ input: { sessionId, ...range }, signal }) => {
        const page = await history.page(sessionId, range, signal)
        return { ...page, events: wireEvents(page.events) }
      }),
      events: bulk.history.events.handler(async ({ input: { sessionId, ...range }, signal }) => ({
        events: wireEvents(await query.listEvents(sessionId, range, signal)),
      })),
      event: os.history.event.handler(async ({ input, signal }) =>
        wireEvent(await history.event(input.sessionId, input.seq, signal)),
      ),
      text: os.history.text.handler(({ input, signal }) => texts.read(input, signal)),
      output: os.history.output.handler(({ input, signal }) => readOutput(store.outputs, input, signal)),
    },
    subagents: {
      children: bulk.subagents.children.handler(async ({ input, signal }) => ({
        entries: await listChildren(catalog, input.parentId, { signal, with: input.with }),
      })),
      descendants: bulk.subagents.descendants.handler(async ({ input, signal }) => ({
        entries: await listDescendants(catalog, input.rootId, { signal, with: input.with }),
      })),
      send: os.subagents.send.handler(async ({ input: { childId, content, mode } }) => {
        await requireSubagent(workbench, childId)
        return { messageId: await messaging.send(PERSON, childId, content, mode) }
      }),
      retry: os.subagents.retry.handler(async ({ input }) => {
        await requireSubagent(workbench, input.childId)
        return done(messaging.retry(input.childId))
      }),
      interrupt: os.subagents.interrupt.handler(async ({ input }) => {
        await requireSubagent(workbench, input.childId)
        return done(messaging.interrupt(input.childId))
      }),
      stopTree: os.subagents.stopTree.handler(async ({ input }) => ({
        stopped: await messaging.stopTree(input.sessionId),
      })),
      unqueue: os.subagents.unqueue.handler(async ({ input }) => {
        await requireSubagent(workbench, input.childId)
        return done(messaging.unqueue(input.childId, input.messageId))
      }),
    },
    agents: {
      prompt: os.agents.prompt.handler(async ({ input: { sessionId, content, mode } }) => {
        await requireRoot(workbench, sessionId)
        return { messageId: await messaging.send(PERSON, sessionId, content, mode) }
      }),
      retry: os.agents.retry.handler(async ({ input }) => {
        await requireRoot(workbench, input.sessionId)
        return done(messaging.retry(input.sessionId))
      }),
      cancel: os.agents.cancel.handler(async ({ input }) => {
        await requireRoot(workbench, input.sessionId)
        return done(messaging.interrupt(input.sessionId))
      }),
      unqueue: os.agents.unqueue.handler(async ({ input }) => {
        await requireRoot(workbench, input.sessionId)
        return done(messaging.unqueue(input.sessionId, input.messageId))
      }),
    },
    stream: {
      subscribe: os.stream.subscribe.handler(({ input: { subscription, watch }, signal, context }) =>
        streams.subscribe(ofConnection(context, subscription), watch, signal ?? new AbortController().signal),
      ),
      watch: os.stream.watch.handler(({ input, context }) => {
        streams.watch(ofConnection(context, input.subscription), input.watch)
        return {}
      }),
      acknowledge: os.stream.acknowledge.handler(({ input, context }) => {
        streams.acknowledge(ofConnection(context, input.subscription), input.batch)
        return {}
      }),
    },
    banners: {
      retry: os.banners.retry.handler(({ input }) => done(streams.retryBanner(input.bannerId))),
      dismiss: os.banners.dismiss.handler(({ input }) => {
        streams.dismissBanner(input.bannerId)
        return {}
      }),
    },
    approvals: {
      open: os.approvals.open.handler(async () => ({ approvals: await approvals.open() })),
      decide: os.approvals.decide.handler(({ input }) =>
        done(approvals.decide(input.sessionId, input.approvalId, input.decision)),
      ),
    },
    search: {
      query: os.search.query.handler(({ input, signal }) => search.query(input, signal)),
      status: os.search.status.handler(({ signal }) => search.status(signal)),
    },
    models: {
      list: os.models.list.handler(() => ({ providers: models.list(), defaultRoute: models.defaultRoute() })),
      test: os.models.test.handler(({ input }) => models.test(input.providerId)),
    },
    settings: {
      get: os.settings.get.handler(() => settings.get()),
      update: os.settings.update.handler(({ input }) => changes.update(input)),
      saveProvider: os.settings.saveProvider.handler(({ input }) =>
        changes.saveProvider(input.provider, input.key),
      ),
      removeProvider: os.settings.removeProvider.handler(({ input }) =>
        changes.removeProvider(input.providerId),
      ),
    },
    workspaces: {
      browse: os.workspaces.browse.handler(({ input }) => browseFolders(input.path ?? workbench.homeFolder)),
      open: os.workspaces.open.handler(({ input }) => openWorkspace(settings, input.path)),
    },
    imports: {
      find: os.imports.find.handler(async () => ({ sources: await imports.find() })),
      run: os.imports.run.handler(async ({ input, signal }) => ({
        reports: await imports.run(input.paths, signal),
      })),
    },
    storage: {
      usage: os.storage.usage.handler(({ input }) => storage.state(input.again)),
      compact: os.storage.compact.handler(() => storage.compact()),
    },
    backups: {
      list: os.backups.list.handler(async () => ({ backups: [...(await backups.list())] })),
      create: os.backups.create.handler(() => backups.create('manual')),
      restore: os.backups.restore.handler(({ input }) => restoreBackup(workbench, input)),
    },
    exports: {
      session: os.exports.session.handler(({ input, signal }) => workbench.exports.start(input, signal)),
      read: os.exports.read.handler(({ input, signal }) => workbench.exports.read(input.exportId, signal)),
      cancel: os.exports.cancel.handler(({ input }) => {
        workbench.exports.cancel(input.exportId)
        return {}
      }),
    },
    diagnostics: {
      doctor: os.diagnostics.doctor.handler(() => examineFolder(options.dataFolder)),
      host: os.diagnostics.host.handler(() => hostInfo(workbench)),
      record: os.diagnostics.record.handler(({ input, signal }) =>
        recordReport(store, input.sessionId, signal),
      ),
    },
  })

  function implementer(config: BuilderConfig) {
    return implement(contract, config)
      .$context<ConnectionContext>()
      .use(async ({ next, signal }) => {
        try {
          return await next()
        } catch (error) {
          throw toWireError(error, log, signal)
        }
      })
  }

  /** A window knows its own subscriptions only, whatever ids another one uses. */
  function ofConnection({ connection }: ConnectionContext, subscription: string): string {
    return `${connection.id} ${subscription}`
  }
}

async function done(work: Promise<unknown>): Promise<Record<string, never>> {
  await work
  return {}
}
