import { homedir } from 'node:os'
import { v4, v7 } from 'uuid'
import type { Banner } from '#shared/banner.ts'
import type { Restored } from '#shared/contract/backups.ts'
import { messageOf } from '#shared/errors.ts'
import { UNITS } from '#shared/projection/units.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { type Agents, createAgents } from './agents.ts'
import { createImports, type Imports } from './history/imports.ts'
import { createKnownSecrets } from './known-secrets.ts'
import type { Log } from './log.ts'
import { createModels, type ModelsDeps, type ProviderModels } from './model/create-models.ts'
import { catchUpCheckpoints } from './projection/catch-up.ts'
import { CheckpointPolicy } from './projection/checkpoint-policy.ts'
import { ProjectionRegistry } from './projection/registry.ts'
import { createCatalog, createReaders, type Readers } from './readers.ts'
import { Streams } from './rpc/streams.ts'
import { createSample, type Sample } from './sample/sample-tree.ts'
import type { SecretStore } from './secrets.ts'
import { LiveSessions } from './session/live-sessions.ts'
import { type SaveTrouble, troubleText } from './session/save-trouble.ts'
import { openSettings, type SettingsStore } from './settings-store.ts'
import { VIEW_TEXTS } from './start-problem.ts'
import { Storage } from './storage/storage.ts'
import { type Backups, createBackups } from './store/backup/backups.ts'
import { noteDamage } from './store/backup/found-damage.ts'
import { Upkeep } from './store/backup/upkeep.ts'
import { mediumFault, systemCodeOf } from './store/medium.ts'
import { openStore, type Store, type StoreOptions } from './store/store-client.ts'
import { Lineage } from './subagent/lineage.ts'
import { Rollups } from './subagent/rollup.ts'

export interface WorkbenchOptions {
  /** Its lock is held by this process, unless it is only viewed. */
  readonly dataFolder: string
  /** Nothing can be written there: its sessions are shown and nothing else. */
  readonly viewOnly?: boolean
  readonly shell: 'desktop' | 'browser'
  /** The folder given at the start. */
  readonly workspace: string | null
  readonly secrets: SecretStore
  readonly log: Log
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly storeThreadUrl?: URL
  /** Puts a backup in the place of the sessions; absent where nobody could open the workbench anew. */
  readonly restore?: (wanted: RestoreRequest) => Promise<Restored>
  /** Tests replace the models, the clock and the ids, and let the store fail, nothing else. */
  readonly openStore?: (options: StoreOptions) => Promise<Store>
  readonly models?: (deps: ModelsDeps) => ProviderModels
  readonly now?: () => number
  readonly newId?: () => string
  readonly newSessionId?: () => SessionId
}

export interface RestoreRequest {
  /** Of the backup. */
  readonly name: string
  readonly stopWork?: boolean | undefined
}

/** Everything a shell or the contract needs, wired once. Electron-free. */
export interface Workbench extends Readers, Agents {
  readonly options: WorkbenchOptions
  readonly log: Log
  readonly homeFolder: string
  readonly store: Store
  readonly settings: SettingsStore
  readonly models: ProviderModels
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly streams: Streams
  readonly imports: Imports
  readonly rollups: Rollups
  readonly storage: Storage
  readonly sample: Sample
  readonly backups: Backups
  /** Stops work, saves everything and closes the store. Idempotent. Rejects when something could not be saved. */
  close(): Promise<void>
}

/** A start is over by then. */
const TIDY_AFTER_MS = 5000

/**
 * The composition root: every part is made here, or in `agents.ts` (what works in sessions) and `readers.ts` (what
 * shows them), and handed to those that use it. The order of the followers of
 * live sessions matters: the registry folds first, windows and counts hear next, the registry forgets last.
 */
export async function createWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const { dataFolder, storeThreadUrl: threadUrl, viewOnly = false } = options
  const open = options.openStore ?? openStore
  const assembled = async () => {
    const store = await open({
      dataFolder,
      viewOnly,
      onNote: sentence => options.log.warn(sentence),
      ...(threadUrl !== undefined && { threadUrl }),
    })
    try {
      return await assemble(options, store)
    } catch (error) {
      await store.close()
      throw error
    }
  }
  try {
    return await assembled()
  } catch (error) {
    if (viewOnly || !isDamage(error)) throw error
    // What a start needs cannot be read: opened again, what can be read is put into a new database.
    noteDamage(dataFolder, messageOf(error))
    return assembled()
  }
}

function isDamage(error: unknown): boolean {
  const code = systemCodeOf(error)
  return code !== null && mediumFault(code) === 'damaged'
}

async function assemble(options: WorkbenchOptions, store: Store): Promise<Workbench> {
  const { dataFolder, log, env, secrets, now = Date.now } = options
  const { newId = v4, newSessionId = () => toSessionId(v7()) } = options
  const homeFolder = options.home ?? homedir()
  const onError = (error: unknown) => log.error('Something failed inside the workbench', error)

  const { persistence, checkpoints } = store
  const settings = openSettings(dataFolder, log)
  const makeModels = options.models ?? createModels
  const paceMs = Number(env['ESPALIER_REHEARSAL_PACE_MS'])
  const models = makeModels({
    settings: settings.get,
    secret: id => secrets.get(id),
    env,
    ...(Number.isFinite(paceMs) && { rehearsal: { paceMs } }),
  })

  const live = new LiveSessions({ persistence, now, onError, onTrouble: trouble => onTrouble(trouble) })
  const registry = new ProjectionRegistry(UNITS, onError, persistence.readFrom)
  registry.follow(live)
  const lineage = new Lineage({ live, persistence })
  const rollups = new Rollups({ live, registry, lineage, checkpoints, onError })
  const streams = new Streams({
    live,
    registry,
    rollups,
    livePieces: id => agents.activations.get(id)?.agent.liveMessage?.pieces() ?? [],
    onError,
  })
  const checkpointPolicy = new CheckpointPolicy({ live, registry, checkpoints, onError })
  const catalog = createCatalog(store, live, registry)
  const agents: Agents = createAgents({
    store,
    live,
    registry,
    lineage,
    rollups,
    catalog,
    streams,
    settings,
    models,
    env,
    newId,
    newSessionId,
    now,
    onError,
  })
  const { activations, approvals, messaging, actions, tools } = agents
  live.onRemoved(session => registry.forget(session))

  const known = createKnownSecrets(env)
  known.add(() => secrets.known())
  const readers = createReaders({
    store,
    live,
    registry,
    lineage,
    rollups,
    catalog,
    activations,
    models,
    tools: () => tools,
    known: known.values,
    onLateSnapshot: (id, snapshot) => streams.lateSnapshot(id, snapshot),
    onError,
    now,
  })
  const storage = new Storage({
    dataFolder,
    usage: store.usage,
    readOnly: store.readOnly,
    running: () =>
      activations.list().some(({ agent }) => agent.isRunning && !agent.log.openTurn.isWaitingForAnswers),
    now,
    onError,
  })
  const imports = createImports({ store, streams, log, home: homeFolder })
  const closed = new AbortController()
  if (!store.readOnly) await catchUpCheckpoints(checkpoints, closed.signal, onError)
  await rollups.readWaiting()
  // Providers that run on this computer are asked for their models; nobody waits for the answer.
  models.discover().catch(onError)

  if (store.readOnly) {
    const text = VIEW_TEXTS[store.viewing ?? 'newer']
    log.warn(text)
    streams.banner('read-only', { level: 'alert', text })
  }

  function onTrouble(trouble: SaveTrouble | null): void {
    if (trouble === null) log.info('Saving works again.')
    else log.warn(`Saving does not work (${trouble.detail}).`)
    streams.banner('unsaved', trouble === null ? null : unsavedBanner(trouble))
  }

  const sample = createSample({
    dataFolder,
    readOnly: store.readOnly,
    live,
    persistence,
    checkpoints,
    activations,
    approvals,
    messaging,
    actions,
    now,
    onError,
  })

  let closing: Promise<void> | null = null
  const backups = createBackups(dataFolder, now)
  const { readOnly, opening } = store
  const upkeep = new Upkeep({
    dataFolder,
    readOnly,
    opening,
    backups,
    banner: (id, banner) => streams.banner(id, banner),
    log,
    now,
  })
  upkeep.start()
  store.onDamage(() => void upkeep.look())

  // What was deleted for good before a kill is shown nowhere: nobody waits for the rest of it to go.
  const tidying = setTimeout(() => persistence.finishPurges().catch(onError), TIDY_AFTER_MS).unref()
  if (store.readOnly) clearTimeout(tidying)

  const close = async () => {
    clearTimeout(tidying)
    sample.stop()
    await upkeep.stop()
    closed.abort()
    await activations.drain()
    try {
      await checkpointPolicy.settle()
      await live.close()
    } finally {
      await store.close()
    }
  }
  return {
    options,
    log,
    homeFolder,
    store,
    settings,
    models,
    live,
    registry,
    ...readers,
    ...agents,
    streams,
    imports,
    rollups,
    storage,
    sample,
    backups,
    close: () => (closing ??= close()),
  }
}

function unsavedBanner(trouble: SaveTrouble): Banner {
  const action = { call: 'open-storage', label: 'What uses space' } as const
  return { level: 'alert', text: troubleText(trouble), ...(trouble.kind === 'full' && { action }) }
}
