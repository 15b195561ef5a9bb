import { createRouterClient, implement, ORPCError } from '@orpc/server'
import { contract } from '#shared/contract.ts'
import type { Frame } from '#shared/frames.ts'
import type { NewEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { DEFAULT_SETTINGS, type Settings } from '#shared/settings.ts'
import type { Client } from '../store/client.ts'
import {
  detailOf,
  entryOf,
  hostOf,
  pageOf,
  pendingOf,
  reportOf,
  rollupOf,
  summaryOf,
  valuesOf,
} from './answers.ts'
import { bannerFrames } from './fake-banners.ts'
import { createFakeExports } from './fake-exports.ts'
import { searchIn, searchStatusOf, traceOf } from './fake-search.ts'
import { createFakeStorage } from './fake-storage.ts'
import { storedBytes } from './fixture-outputs.ts'
import { providersOf } from './fixture-providers.ts'
import { createFrameFeed, type FrameFeed } from './frame-feed.ts'
import { type Actor, type ActorSpec, actorOf, addActor, lineageIds, type World } from './world.ts'

export interface FakeHostOptions {
  readonly firstRun?: boolean
  /** Milliseconds that a listing takes. */
  readonly slowMs?: number
  /** Milliseconds that a page of a log takes. */
  readonly pageMs?: number
  /** Listing children of sessions with this label fails. */
  readonly failsFor?: string
  /** Banners that are up from the start, by name. */
  readonly banners?: readonly string[]
  /** Labels of roots that lie in the trash, since 34 days. */
  readonly trashed?: readonly string[]
}

/** What tests and the gallery's own controls do to the world. */
export interface FakeHost {
  readonly client: Client
  change(id: SessionId, change: Partial<Pick<Actor, 'outcome' | 'running' | 'doing' | 'label'>>): void
  add(parentId: SessionId | null, spec: ActorSpec): SessionId
  append(id: SessionId, event: NewEvent): void
  push(...frames: Frame[]): void
  /** Ends the stream, as a restarting host does. */
  drop(): void
}

const BACKUPS = [
  {
    name: 'espalier-20261130T081200000Z-daily.db',
    at: Date.UTC(2026, 10, 30, 8, 12),
    reason: 'daily',
    bytes: 48_000_000,
    sessions: 13,
  },
] as const

/** The whole contract over a world in memory, validated by the contract's own schemas. */
export function createFakeHost(world: World, options: FakeHostOptions = {}): FakeHost {
  const os = implement(contract)
  const feeds = new Map<string, FrameFeed>()
  let settings: Settings = {
    ...DEFAULT_SETTINGS,
    workspaces: options.firstRun === true ? [] : ['/home/ada/code/quill'],
  }
  let dropping = new AbortController()

  const push = (...frames: Frame[]) => {
    for (const feed of feeds.values()) feed.push(...frames)
  }
  const storage = createFakeStorage(world, push)
  storage.trashEarlier(options.trashed ?? [], 34)
  const snapshotFrame = (actor: Actor): Frame => ({
    kind: 'snapshot',
    sessionId: actor.id,
    asOfSeq: actor.events.length - 1,
    values: valuesOf(actor),
  })
  const known = (id: SessionId): Actor => {
    const actor = world.actors.get(id)
    if (actor === undefined)
      throw new ORPCError('SESSION_NOT_FOUND', { message: 'There is no such session.' })
    return actor
  }
  const changed = (actor: Actor) => {
    push(snapshotFrame(actor), {
      kind: 'activity',
      sessionId: actor.id,
      activity: actor.running ? 'running' : 'inactive',
    })
    for (const id of lineageIds(world, actor).slice(0, -1))
      push({ kind: 'rollup', sessionId: id, ...rollupOf(world, id) })
  }
  const stop = (actor: Actor) => {
    if (!actor.running) return 0
    Object.assign(actor, { running: false, outcome: { kind: 'cancelled', by: 'user' }, doing: null })
    changed(actor)
    return 1
  }
  const send = (actor: Actor, text: string) => {
    const messageId = crypto.randomUUID()
    actor.running = true
    actor.outcome = { kind: 'running' }
    actor.doing = { kind: 'thinking', since: Date.now() }
    append(actor.id, {
      type: 'user/message',
      data: { id: messageId, source: { kind: 'person' }, content: [{ type: 'text', text }] },
    })
    changed(actor)
    return { messageId }
  }
  function append(id: SessionId, event: NewEvent): void {
    const actor = known(id)
    const stored = { ...event, seq: actor.events.length, time: Date.now() }
    actor.events = [...actor.events, stored]
    push({ kind: 'events', sessionId: id, events: [stored] })
  }
  const textOf = (content: readonly { readonly type: string; readonly text?: string }[]) =>
    content.map(block => block.text ?? '').join('\n')

  const router = os.router({
    sessions: {
      list: os.sessions.list.handler(({ input }) => ({
        sessions: world.roots
          .map(id => summaryOf(world, id))
          .filter(({ archived }) => input.archived === 'too' || archived === (input.archived ?? false)),
        unreadable: input.archived === true || options.firstRun === true ? [] : [...world.unreadable],
      })),
      get: os.sessions.get.handler(({ input }) => detailOf(world, known(input.sessionId).id)),
      trace: os.sessions.trace.handler(({ input }) => traceOf(world, known(input.sessionId))),
      create: os.sessions.create.handler(({ input }) => {
        const sessionId = addRoot({ label: null, cwd: input.cwd, id: crypto.randomUUID() })
        return { sessionId }
      }),
      fork: os.sessions.fork.handler(({ input }) => {
        const source = known(input.sessionId)
        const sessionId = addRoot({
          label: `${source.label ?? 'Session'} (continued)`,
          cwd: source.header.cwd ?? '/',
          id: crypto.randomUUID(),
        })
        actorOf(world, sessionId).events = source.events
        return { sessionId }
      }),
      rename: os.sessions.rename.handler(({ input }) => {
        known(input.sessionId).label = input.title
        changed(known(input.sessionId))
        return {}
      }),
      archive: os.sessions.archive.handler(({ input }) => {
        known(input.sessionId).archived = input.archived
        return { sessions: storage.treeSize(input.sessionId) }
      }),
      trash: os.sessions.trash.handler(({ input }) => {
        const running = storage.running(known(input.sessionId).id)
        if (running.length > 0 && !input.stopRunning) {
          const names = running.map(({ label }) => label ?? 'A session').join(', ')
          throw new ORPCError('WORK_RUNNING', { message: `${names} at work.` })
        }
        for (const actor of running) stop(actor)
        return { sessions: storage.trash(input.sessionId) }
      }),
      restore: os.sessions.restore.handler(({ input }) => ({ sessions: storage.restore(input.sessionId) })),
      trashed: os.sessions.trashed.handler(() => ({ trees: storage.trashed() })),
      purge: os.sessions.purge.handler(({ input }) => ({ sessions: storage.purge(input.sessionId) })),
      setModel: os.sessions.setModel.handler(() => ({})),
      setApprovalMode: os.sessions.setApprovalMode.handler(() => ({})),
    },
    history: {
      page: os.history.page.handler(async ({ input }) => {
        await pause(options.pageMs ?? 0)
        return pageOf(world, known(input.sessionId).id, input.before, input.limit)
      }),
      events: os.history.events.handler(({ input }) => ({
        events: known(input.sessionId).events.slice(input.from, input.from + input.limit),
      })),
      event: os.history.event.handler(({ input }) => {
        const event = known(input.sessionId).events[input.seq]
        if (event === undefined) throw new ORPCError('BAD_REQUEST', { message: 'There is no such event.' })
        return event
      }),
      text: os.history.text.handler(({ input: { sessionId, seq, path, from, length } }) => {
        let value: unknown = known(sessionId).events[seq]?.data
        for (const key of path) value = (value as Readonly<Record<string | number, unknown>>)[key]
        const bytes = new TextEncoder().encode(String(value))
        const piece = bytes.subarray(from, from + length)
        const base64 = btoa(Array.from(piece, byte => String.fromCharCode(byte)).join(''))
        return { from, to: from + piece.length, size: bytes.length, part: { kind: 'bytes', base64 } }
      }),
      output: os.history.output.handler(({ input: { id, from, length, as } }) => {
        const stored = storedBytes(id, from, length)
        if (stored === null) throw new ORPCError('BAD_REQUEST', { message: 'There is no such output.' })
        const { bytes, size } = stored
        const base64 = () => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
        const part =
          as === 'bytes'
            ? { kind: 'bytes' as const, base64: base64() }
            : { kind: 'text' as const, text: new TextDecoder().decode(bytes) }
        return { from, to: from + bytes.length, size, part }
      }),
    },
    subagents: {
      children: os.subagents.children.handler(async ({ input }) => {
        const parent = known(input.parentId)
        await pause(options.slowMs ?? 0)
        if (options.failsFor !== undefined && parent.label === options.failsFor) {
          throw new ORPCError('STORE_UNAVAILABLE', { message: 'The store does not answer.' })
        }
        return { entries: parent.children.map(id => entryOf(world, id)) }
      }),
      descendants: os.subagents.descendants.handler(({ input }) => {
        const depthOf = (id: SessionId) => lineageIds(world, actorOf(world, id)).length
        const base = depthOf(known(input.rootId).id)
        const entries = [...world.actors.values()]
          .filter(actor => actor.id !== input.rootId && lineageIds(world, actor).includes(input.rootId))
          .map(actor => ({
            ...entryOf(world, actor.id),
            parentId: actor.parent ?? input.rootId,
            depth: depthOf(actor.id) - base,
          }))
        return { entries }
      }),
      send: os.subagents.send.handler(({ input }) => send(known(input.childId), textOf(input.content))),
      retry: os.subagents.retry.handler(() => ({})),
      interrupt: os.subagents.interrupt.handler(({ input }) => {
        stop(known(input.childId))
        return {}
      }),
      stopTree: os.subagents.stopTree.handler(({ input }) => {
        const below = [...world.actors.values()].filter(actor =>
          lineageIds(world, actor).includes(input.sessionId),
        )
        return { stopped: below.reduce((count, actor) => count + stop(actor), 0) }
      }),
      unqueue: os.subagents.unqueue.handler(() => ({})),
    },
    agents: {
      prompt: os.agents.prompt.handler(({ input }) => send(known(input.sessionId), textOf(input.content))),
      retry: os.agents.retry.handler(() => ({})),
      cancel: os.agents.cancel.handler(({ input }) => {
        stop(known(input.sessionId))
        return {}
      }),
      unqueue: os.agents.unqueue.handler(() => ({})),
    },
    stream: {
      subscribe: os.stream.subscribe.handler(({ input, signal }) => {
        const feed = createFrameFeed()
        feeds.set(input.subscription, feed)
        for (const actor of world.actors.values()) if (actor.running) feed.push(snapshotFrame(actor))
        for (const id of world.actors.keys()) {
          const rollup = rollupOf(world, id)
          if (rollup.running + rollup.waiting > 0) feed.push({ kind: 'rollup', sessionId: id, ...rollup })
        }
        feed.push(...bannerFrames(options.banners ?? []))
        const signals = signal === undefined ? [dropping.signal] : [signal, dropping.signal]
        return feed.stream(AbortSignal.any(signals))
      }),
      watch: os.stream.watch.handler(() => ({})),
      acknowledge: os.stream.acknowledge.handler(({ input }) => {
        feeds.get(input.subscription)?.acknowledge(input.batch)
        return {}
      }),
    },
    banners: {
      retry: os.banners.retry.handler(() => ({})),
      dismiss: os.banners.dismiss.handler(({ input }) => {
        push({ kind: 'banner', id: input.bannerId, banner: null })
        return {}
      }),
    },
    approvals: {
      open: os.approvals.open.handler(() => ({ approvals: pendingOf(world) })),
      decide: os.approvals.decide.handler(({ input }) => {
        const actor = known(input.sessionId)
        actor.outcome = { kind: 'running' }
        append(actor.id, {
          type: 'approval/decided',
          data: { approvalId: input.approvalId, callId: 'call-fuzz', decision: input.decision, by: 'person' },
        })
        changed(actor)
        return {}
      }),
    },
    search: {
      query: os.search.query.handler(({ input }) => searchIn(world, input)),
      status: os.search.status.handler(() => searchStatusOf(world)),
    },
    models: {
      list: os.models.list.handler(() => ({
        defaultRoute: { provider: 'ollama', model: 'qwen3-coder', effort: 'high' },
        providers: providersOf(settings.providers),
      })),
      test: os.models.test.handler(({ input }) =>
        input.providerId === 'custom'
          ? {
              ok: false,
              message: 'The endpoint answered 401: this key is revoked. Paste a new key.',
              models: [],
            }
          : { ok: true, message: 'Connected, 3 ms', models: ['qwen3-coder'] },
      ),
    },
    settings: {
      get: os.settings.get.handler(() => settings),
      update: os.settings.update.handler(({ input }) => {
        const { limits, ...rest } = input
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
        settings = {
          ...settings,
          ...given,
          limits: { ...settings.limits, ...(limits as Partial<Settings['limits']>) },
        }
        return settings
      }),
      saveProvider: os.settings.saveProvider.handler(({ input }) => {
        const others = settings.providers.filter(({ id }) => id !== input.provider.id)
        settings = { ...settings, providers: [...others, input.provider] }
        return settings
      }),
      removeProvider: os.settings.removeProvider.handler(({ input }) => {
        settings = { ...settings, providers: settings.providers.filter(({ id }) => id !== input.providerId) }
        return settings
      }),
    },
    workspaces: {
      browse: os.workspaces.browse.handler(({ input }) => browse(input.path ?? '/home/ada')),
      open: os.workspaces.open.handler(({ input }) => {
        settings = {
          ...settings,
          workspaces: [input.path, ...settings.workspaces.filter(path => path !== input.path)],
        }
        return { path: input.path }
      }),
    },
    imports: {
      find: os.imports.find.handler(() => ({
        sources: [
          { tool: 'Claude Code', path: '/home/ada/.claude/projects', sessions: 153 },
          { tool: 'Codex', path: '/home/ada/.codex/sessions', sessions: 61 },
        ],
      })),
      run: os.imports.run.handler(({ input }) => ({
        reports: input.paths.map(source => ({
          source,
          sessions: 12,
          children: 40,
          unchanged: 0,
          skipped: [],
          roots: [],
        })),
      })),
    },
    exports: createFakeExports(os, id => known(id)),
    storage: {
      usage: os.storage.usage.handler(() => storage.usage()),
      compact: os.storage.compact.handler(() => storage.compact()),
    },
    backups: {
      list: os.backups.list.handler(() => ({ backups: [...BACKUPS] })),
      create: os.backups.create.handler(() => ({ ...BACKUPS[0], at: Date.now(), reason: 'manual' as const })),
      restore: os.backups.restore.handler(() => ({ sessions: 12, kept: 'backups/before-restore.db' })),
    },
    diagnostics: {
      doctor: os.diagnostics.doctor.handler(() => ({ findings: [], notes: [] })),
      host: os.diagnostics.host.handler(() => hostOf(world, options.firstRun ?? false)),
      record: os.diagnostics.record.handler(({ input }) => reportOf(world, known(input.sessionId).id)),
    },
  })

  function addRoot(spec: ActorSpec): SessionId {
    const id = addActor(world, spec, null)
    world.roots.unshift(id)
    push({ kind: 'added', header: actorOf(world, id).header })
    return id
  }

  return {
    client: createRouterClient(router),
    change: (id, change) => {
      Object.assign(known(id), change)
      changed(known(id))
    },
    add: (parentId, spec) => {
      if (parentId === null) return addRoot(spec)
      const id = addActor(world, spec, known(parentId))
      push({ kind: 'added', header: actorOf(world, id).header })
      changed(actorOf(world, id))
      return id
    },
    append,
    push,
    drop: () => {
      dropping.abort()
      dropping = new AbortController()
      feeds.clear()
    },
  }
}

function browse(path: string): { path: string; parent: string | null; folders: string[] } {
  const folders: Readonly<Record<string, string[]>> = {
    '/home/ada': ['code', 'documents', 'downloads'],
    '/home/ada/code': ['corpus', 'orchard-api', 'quill'],
  }
  const parent = path === '/' ? null : path.slice(0, path.lastIndexOf('/')) || '/'
  return { path, parent, folders: folders[path] ?? [] }
}

function pause(ms: number): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise(resolve => setTimeout(resolve, ms))
}
