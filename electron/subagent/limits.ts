import { SubagentError } from '#shared/errors.ts'
import { tokensOf } from '#shared/projection/units/usage.ts'
import type { ProjectionValues } from '#shared/projection/units.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Limits } from '#shared/settings.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { liveValue, typedValues } from '../projection/typed-values.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Activation } from './activation.ts'
import type { Activations } from './activations.ts'

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

/** Tokens of a request when nothing is known yet. */
const FIRST_REQUEST = 1000
const NOTHING: Spent = { tokens: 0, costUsd: 0 }

/** How deep and how wide a tree may grow, and what it may spend. Descendants that are gone count as well. */
export class TreeLimits {
  readonly #deps: LimitsDeps
  /** What each session spent that is not resident, by root. */
  readonly #gone = new Map<SessionId, Map<SessionId, Spent>>()
  /** Tokens that requests under way were given, by session: settled when the request ends. */
  readonly #reserved = new Map<SessionId, { readonly rootId: SessionId; readonly tokens: number }>()
  /** Children about to be started, by root. */
  readonly #starting = new Map<SessionId, number>()

  constructor(deps: LimitsDeps) {
    this.#deps = deps
    deps.live.onEvent((session, { type }) => {
      if (type === 'assistant/message' || type === 'turn/end') this.#reserved.delete(session.id)
    })
    deps.live.onRemoved(session => {
      this.#reserved.delete(session.id)
      const activation = deps.activations().get(session.id)
      if (activation?.session === session)
        this.#goneOf(activation.rootId).set(session.id, this.#spentBy(session.id))
    })
  }

  /** @throws SubagentError `DEPTH_EXCEEDED`. */
  requireDepth(delegationDepth: number): void {
    const { depth } = this.#deps.limits()
    if (delegationDepth <= depth) return
    throw new SubagentError('DEPTH_EXCEEDED', `Children may be nested ${depth} deep; do this work yourself.`)
  }

  /** @throws SubagentError `LIMIT_EXCEEDED` when as many children as may run under this root do. */
  requireRoom(rootId: SessionId): void {
    const { runningPerRoot } = this.#deps.limits()
    const busy = this.#deps.activations().runningUnder(rootId) + (this.#starting.get(rootId) ?? 0)
    if (busy < runningPerRoot) return
    throw new SubagentError(
      'LIMIT_EXCEEDED',
      `${runningPerRoot} children run already; wait for one of them to end.`,
    )
  }

  /** Keeps room for one child until it runs. @returns what gives it back. @throws as `requireRoom`. */
  reserve(rootId: SessionId): () => void {
    this.requireRoom(rootId)
    const count = (by: number) => {
      const starting = (this.#starting.get(rootId) ?? 0) + by
      if (starting > 0) this.#starting.set(rootId, starting)
      else this.#starting.delete(rootId)
    }
    count(1)
    return () => count(-1)
  }

  /** What a cold tree spent before now. To be awaited when one of its sessions becomes resident. */
  async readTree(rootId: SessionId): Promise<void> {
    if (this.#gone.has(rootId)) return
    const { persistence, checkpoints, live } = this.#deps
    const { sessions } = await persistence.list({ kind: 'tree', root: rootId })
    const cold = [rootId, ...sessions.map(({ header }) => header.id)].filter(id => live.get(id) === undefined)
    const found = await checkpoints.read(cold, ['usage'])
    const gone = this.#goneOf(rootId)
    for (const { sessionId, values } of found) {
      if (!gone.has(sessionId)) gone.set(sessionId, spentOf(typedValues(values).usage))
    }
  }

  /**
   * The limit that another request would break, as a sentence, else `null`: then what it will probably take is reserved
   * until it ends, so that requests side by side do not spend the same rest.
   */
  reached({ rootId, session, agent }: Activation): string | null {
    const { turnsPerChild, tokensPerRoot, costUsdPerRoot } = this.#deps.limits()
    if (session.header.origin === 'subagent' && agent.log.ownTurns > turnsPerChild) {
      return `This child took ${turnsPerChild} turns.`
    }
    if (tokensPerRoot === null && costUsdPerRoot === null) return null
    const spent = this.#spentUnder(rootId)
    const reserved = this.#reservedUnder(rootId, session.id)
    // What a token costs in this tree, on average.
    const reservedUsd = spent.tokens === 0 ? 0 : (reserved / spent.tokens) * spent.costUsd
    if (tokensPerRoot !== null && spent.tokens + reserved >= tokensPerRoot)
      return `The tree used ${spent.tokens} tokens${reserved === 0 ? '' : `, and ${reserved} are on their way`}.`
    if (costUsdPerRoot !== null && spent.costUsd + reservedUsd >= costUsdPerRoot)
      return `The tree cost $${spent.costUsd.toFixed(2)}.`
    this.#reserved.set(session.id, { rootId, tokens: this.#nextRequestOf(session.id) })
    return null
  }

  #reservedUnder(rootId: SessionId, but: SessionId): number {
    let tokens = 0
    for (const [id, one] of this.#reserved) if (one.rootId === rootId && id !== but) tokens += one.tokens
    return tokens
  }

  /** What its last request put into the model's window, or what a first one does. */
  #nextRequestOf(id: SessionId): number {
    return Math.max(FIRST_REQUEST, liveValue(this.#deps.registry, id, 'usage')?.context ?? 0)
  }

  /** Each session once: one that came back counts with its whole log, past included. */
  #spentUnder(rootId: SessionId): Spent {
    const bySession = new Map(this.#gone.get(rootId))
    for (const { session, ...one } of this.#deps.activations().list()) {
      if (one.rootId === rootId) bySession.set(session.id, this.#spentBy(session.id))
    }
    return [...bySession.values()].reduce(sum, NOTHING)
  }

  #goneOf(rootId: SessionId): Map<SessionId, Spent> {
    const known = this.#gone.get(rootId) ?? new Map<SessionId, Spent>()
    this.#gone.set(rootId, known)
    return known
  }

  #spentBy(id: SessionId): Spent {
    return spentOf(liveValue(this.#deps.registry, id, 'usage'))
  }
}

function spentOf(usage: ProjectionValues['usage']): Spent {
  return usage ? { tokens: tokensOf(usage.own), costUsd: usage.own.costUsd ?? 0 } : NOTHING
}

function sum(a: Spent, b: Spent): Spent {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd }
}
