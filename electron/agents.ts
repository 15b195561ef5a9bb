import type { SessionId } from '#shared/session/ids.ts'
import type { ProviderModels } from './model/create-models.ts'
import type { ProjectionRegistry } from './projection/registry.ts'
import { typedValues } from './projection/typed-values.ts'
import type { Streams } from './rpc/streams.ts'
import type { LiveSessions } from './session/live-sessions.ts'
import { untilSaved } from './session/until-saved.ts'
import type { SettingsStore } from './settings-store.ts'
import type { Store } from './store/store-client.ts'
import { Activations } from './subagent/activations.ts'
import { ApprovalDesk, labelOf } from './subagent/approval-desk.ts'
import type { CatalogDeps } from './subagent/catalog/catalog-deps.ts'
import { Delegation } from './subagent/delegation.ts'
import { TreeLimits } from './subagent/limits.ts'
import type { Lineage } from './subagent/lineage.ts'
import { Messaging } from './subagent/messaging.ts'
import { missedSettlements } from './subagent/missed-settlements.ts'
import { Restoring } from './subagent/restoring.ts'
import type { Rollups } from './subagent/rollup.ts'
import { SessionActions } from './subagent/session-actions.ts'
import { createDelegateTool } from './subagent/tools/delegate.ts'
import { createInterruptAgentTool } from './subagent/tools/interrupt-agent.ts'
import { createListAgentsTool } from './subagent/tools/list-agents.ts'
import { createReportTool } from './subagent/tools/report.ts'
import { createSendMessageTool } from './subagent/tools/send-message.ts'
import { createBuiltInTools } from './tool/built-in-tools.ts'
import type { Tool } from './tool/tool.ts'
import { createToolOutput } from './tool/tool-output.ts'

export interface AgentsDeps {
  readonly store: Store
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly lineage: Lineage
  readonly rollups: Rollups
  readonly catalog: CatalogDeps
  readonly streams: Streams
  readonly settings: SettingsStore
  readonly models: ProviderModels
  readonly env: Readonly<Record<string, string | undefined>>
  readonly newId: () => string
  readonly newSessionId: () => SessionId
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Everything that works in sessions or has a say in it. */
export interface Agents {
  readonly activations: Activations
  readonly approvals: ApprovalDesk
  readonly messaging: Messaging
  readonly actions: SessionActions
  readonly tools: readonly Tool[]
}

/** To be made after the registry follows the live sessions: what is made here follows them behind it. */
export function createAgents(deps: AgentsDeps): Agents {
  const { store, live, registry, lineage, rollups, catalog, streams, settings, models } = deps
  const { env, newId, newSessionId, now, onError } = deps
  const { persistence, checkpoints } = store

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

  tools.push(
    ...createBuiltInTools({ env: { ...env } }),
    createDelegateTool({ activations, delegation, newSessionId }),
    createSendMessageTool(messaging),
    createListAgentsTool(catalog),
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

  return { activations, approvals, messaging, actions, tools }
}
