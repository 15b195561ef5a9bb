import { homedir } from 'node:os'
import { v4, v7 } from 'uuid'
import type { Banner } from '#shared/banner.ts'
import type { Restored } from '#shared/contract/backups.ts'
import { messageOf } from '#shared/errors.ts'
import { UNITS } from '#shared/projection/units.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { createImports, type Imports } from './history/imports.ts'
import { createKnownSecrets } from './known-secrets.ts'
import type { Log } from './log.ts'
import { createModels, type ModelsDeps, type ProviderModels } from './model/create-models.ts'
import { catchUpCheckpoints } from './projection/catch-up.ts'
import { CheckpointPolicy } from './projection/checkpoint-policy.ts'
import { ProjectionRegistry } from './projection/registry.ts'
import { typedValues } from './projection/typed-values.ts'
import { createReaders, type Readers } from './readers.ts'
import { Streams } from './rpc/streams.ts'
import { createSample, type Sample } from './sample/sample-tree.ts'
import type { SecretStore } from './secrets.ts'
import { LiveSessions } from './session/live-sessions.ts'
import { type SaveTrouble, troubleText } from './session/save-trouble.ts'
import { untilSaved } from './session/until-saved.ts'
import { openSettings, type SettingsStore } from './settings-store.ts'
import { VIEW_TEXTS } from './start-problem.ts'
import { Storage } from './storage/storage.ts'
import { type Backups, createBackups } from './store/backup/backups.ts'
import { noteDamage } from './store/backup/found-damage.ts'
import { Upkeep } from './store/backup/upkeep.ts'
import { mediumFault, systemCodeOf } from './store/medium.ts'
import { openStore, type Store, type StoreOptions } from './store/store-client.ts'
import { Activations } from './subagent/activations.ts'
import { ApprovalDesk, labelOf } from './subagent/approval-desk.ts'
import { Delegation } from './subagent/delegation.ts'
import { TreeLimits } from './subagent/limits.ts'
import { Lineage } from './subagent/lineage.ts'
import { Messaging } from './subagent/messaging.ts'
import { missedSettlements } from './subagent/missed-settlements.ts'
import { Restoring } from './subagent/restoring.ts'
import { Rollups } from './subagent/rollup.ts'
import { SessionActions } from './subagent/session-actions.ts'
import { createDelegateTool } from './subagent/tools/delegate.ts'
import { createInterruptAgentTool } from './subagent/tools/interrupt-agent.ts'
import { createListAgentsTool } from './subagent/tools/list-agents.ts'
import { createReportTool } from './subagent/tools/report.ts'
import { createSendMessageTool } from './subagent/tools/send-message.ts'
import { createBuiltInTools } from './tool/built-in-tools.ts'
import type { Tool } from './tool/tool.ts'
import { createToolOutput } from './tool/tool-output.ts'

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
export interface Workbench extends Readers {
  readonly options: WorkbenchOptions
  readonly log: Log
  readonly homeFolder: string
  readonly store: Store
  readonly settings: SettingsStore
  readonly models: ProviderModels
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly activations: Activations
  readonly approvals: ApprovalDesk
  readonly messaging: Messaging
  readonly actions: SessionActions
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
 * The composition root: every part is made here and handed to those that use it. The order of the followers of
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
    livePieces: id => activations.get(id)?.agent.liveMessage?.pieces() ?? [],
    onError,
  })
  const checkpointPolicy = new CheckpointPolicy({ live, registry, checkpoints, onError })
  const limits = new TreeLimits({
    live,
    registry,
    persistence,
    checkpoints,
    activations: () => activations,
    limits: () => settings.get().limits,
  })
  const approvals = new ApprovalDesk({
    live,
    registry,
    checkpoints,
    lineage,
    rollups,
    activations: () => activations,
    allowed: settings.allowed,
    allow: settings.allow,
    onError,
  })
  const tools: Tool[] = []
  const restoring = new Restoring({
    tools: () => tools,
    defaultRoute: () => models.defaultRoute(),
    resolveModel: route => models.resolve(route),
  })
  const activations: Activations = new Activations({
    live,
    registry,
    persistence,
    checkpoints,
    lineage,
    restoring,
    verdictOn: (activation, tool, input) => approvals.verdictOn(activation, tool, input),
    limitReached: activation => limits.reached(activation),
    beforeOpen: rootId => limits.readTree(rootId),
    onPiece: (id, piece) => streams.text(id, piece),
    onMessageEnd: (id, messageId) => streams.textEnd(id, messageId),
    agent: {
      resolveModel: route => models.resolve(route),
      cost: (route, usage) => models.cost(route, usage),
      untilSaved: signal => untilSaved(live, signal),
      flush: () => live.flush(),
      outputOf: (sessionId, id) =>
        createToolOutput({
          id,
          keep: (from, bytes) => store.outputs.append(sessionId, id, from, bytes),
        }),
      describeError: (error, route) => models.describeError(error, route),
      newId,
      now,
      onError,
    },
  })
  live.onRemoved(session => registry.forget(session))

  const messaging = new Messaging({ activations, live, lineage, limits, rollups })
  const delegation = new Delegation({
    live,
    persistence,
    activations,
    limits,
    defaultRoute: () => models.defaultRoute(),
    newId,
    now,
  })
  activations.onOpened(activation => {
    // One that comes back for a short turn stays until it has heard what it missed.
    const letGo = activations.hold(activation)
    missedSettlements({ live, registry, persistence, checkpoints }, activation)
      .then(missed => {
        for (const settlement of missed) delegation.deliver(activation, settlement)
      })
      .catch(onError)
      .finally(letGo)
  })
  const known = createKnownSecrets(env)
  known.add(() => secrets.known())
  const readers = createReaders({
    store,
    live,
    registry,
    lineage,
    rollups,
    activations,
    models,
    tools: () => tools,
    known: known.values,
    onLateSnapshot: (id, snapshot) => streams.lateSnapshot(id, snapshot),
    onError,
    now,
  })
  tools.push(
    ...createBuiltInTools({ env: { ...env } }),
    createDelegateTool({ activations, delegation, newSessionId }),
    createSendMessageTool(messaging),
    createListAgentsTool(readers.catalog),
    createInterruptAgentTool(messaging),
    createReportTool(activations),
  )
  const nameOf = (id: SessionId) => labelOf(id, typedValues(registry.snapshot(id)?.values ?? {}))
  const actions = new SessionActions({
    live,
    persistence,
    checkpoints,
    activations,
    lineage,
    rollups,
    labelOf: nameOf,
    defaultRoute: () => models.defaultRoute(),
    requireRoute: route => void models.resolve(route),
    onListed: frame => streams.listed(frame),
    newSessionId,
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
    activations,
    approvals,
    messaging,
    actions,
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
