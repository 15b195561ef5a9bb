import { tokensOf, type UsageState } from '#shared/projection/units/usage.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Limits } from '#shared/settings.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Activation, Activations } from './activations.ts'

export interface LimitsDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: Pick<SessionPersistence, 'list'>
  readonly checkpoints: Pick<CheckpointStore, 'read'>
  readonly activations: () => Activations
  readonly limits: () => Limits
}

interface Spent {
  readonly tokens: number
  readonly costUsd: number
}

const NOTHING: Spent = { tokens: 0, costUsd: 0 }

/** What a tree may spend, checked before each model request. Descendants that are gone count as well. */
export class TreeLimits {
  readonly #deps: LimitsDeps
  /** What sessions that are not resident spent, by root. */
  readonly #settled = new Map<SessionId, Spent>()

  constructor(deps: LimitsDeps) {
    this.#deps = deps
    deps.live.onRemoved(session => {
      const activation = deps.activations().get(session.id)
      if (activation === undefined) return
      const before = this.#settled.get(activation.rootId) ?? NOTHING
      this.#settled.set(activation.rootId, sum(before, this.#spentBy(session.id)))
    })
  }

  /** What a cold tree spent before now. To be awaited when one of its sessions becomes resident. */
  async readTree(rootId: SessionId): Promise<void> {
    if (this.#settled.has(rootId)) return
    const { persistence, checkpoints, live } = this.#deps
    const { sessions } = await persistence.list({ kind: 'tree', root: rootId })
    const cold = [rootId, ...sessions.map(({ header }) => header.id)].filter(id => live.get(id) === undefined)
    const found = await checkpoints.read(cold, ['usage'])
    const spent = found.map(({ values }) => spentOf(values['usage'] as UsageState | null | undefined))
    this.#settled.set(rootId, spent.reduce(sum, NOTHING))
  }

  /** The limit that another request would break, as a sentence, else `null`. */
  reached({ rootId, session, agent }: Activation): string | null {
    const { turnsPerChild, tokensPerRoot, costUsdPerRoot } = this.#deps.limits()
    if (session.header.origin === 'subagent' && agent.log.ownTurns > turnsPerChild) {
      return `This child took ${turnsPerChild} turns.`
    }
    if (tokensPerRoot === null && costUsdPerRoot === null) return null
    const resident = this.#deps
      .activations()
      .list()
      .filter(one => one.rootId === rootId)
    const spent = resident
      .map(one => this.#spentBy(one.session.id))
      .reduce(sum, this.#settled.get(rootId) ?? NOTHING)
    if (tokensPerRoot !== null && spent.tokens >= tokensPerRoot)
      return `The tree used ${spent.tokens} tokens.`
    if (costUsdPerRoot !== null && spent.costUsd >= costUsdPerRoot)
      return `The tree cost $${spent.costUsd.toFixed(2)}.`
    return null
  }

  #spentBy(id: SessionId): Spent {
    return spentOf(this.#deps.registry.valueOf(id, 'usage') as UsageState | null | undefined)
  }
}

function spentOf(usage: UsageState | null | undefined): Spent {
  return usage ? { tokens: tokensOf(usage.own), costUsd: usage.own.costUsd ?? 0 } : NOTHING
}

function sum(a: Spent, b: Spent): Spent {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd }
}
