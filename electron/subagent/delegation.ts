import { SubagentError } from '#shared/errors.ts'
import type { Content } from '#shared/session/content.ts'
import type { ModelRoute, NewEvent, StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Descriptor } from '#shared/subagent/descriptor.ts'
import { AgentLog } from '../agent/agent-log.ts'
import { type ForkDeps, seedOf } from '../session/fork.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Activation } from './activation.ts'
import type { Activations } from './activations.ts'
import type { TreeLimits } from './limits.ts'
import { withOwn } from './own-events.ts'
import { findPreset } from './presets.ts'
import { noticeText, type Settlement } from './settlement.ts'

/** How a child comes to be: `spawn` starts fresh, `fork` inherits its parent's finished turns. */
export type ChildProvider = 'spawn' | 'fork'

export interface ChildRequest {
  readonly parent: Activation
  readonly childId: SessionId
  readonly provider: ChildProvider
  readonly mode: 'one-shot' | 'continuable'
  readonly label: string
  readonly prompt: Content
  /** Name of a preset; its persona and tools become part of the child's own record. */
  readonly preset?: string | undefined
  readonly route?: ModelRoute | undefined
  readonly background: boolean
  /** Of the turn that wants the child: one that is stopped meanwhile stops its child as well. */
  readonly signal: AbortSignal
}

/** A child that was started. */
export interface ChildRun {
  readonly childId: SessionId
  readonly messageId: string
  /** `null` for a background child. Never rejects: the end of a child is a fact, whatever it is. */
  readonly result: Promise<Settlement> | null
}

export interface DelegationDeps extends ForkDeps {
  readonly live: LiveSessions
  readonly activations: Activations
  readonly limits: TreeLimits
  readonly defaultRoute: () => ModelRoute
  readonly newId: () => string
  readonly now: () => number
}

/** Starts children, and brings the news of their end to whoever waits for it. */
export class Delegation {
  readonly #deps: DelegationDeps
  readonly #waiting = new Map<SessionId, (settlement: Settlement) => void>()

  constructor(deps: DelegationDeps) {
    this.#deps = deps
    deps.activations.onSettled((activation, settlement) => {
      const wait = this.#waiting.get(settlement.childId)
      this.#waiting.delete(settlement.childId)
      if (wait === undefined) this.#notify(activation, settlement)
      else wait(settlement)
    })
  }

  /**
   * Writes the child's record, identity and first message as one transaction, then sets it to work.
   * @throws SubagentError `NO_PROVIDER`, `DEPTH_EXCEEDED`, `LIMIT_EXCEEDED`, `DUPLICATE_CHILD`, `CANCELLED`: then there is
   * no child. `DRAINING`: it was created, and has not run.
   */
  async start(request: ChildRequest): Promise<ChildRun> {
    const { parent, signal } = request
    const header = this.#headerOf(request)
    const free = this.#deps.limits.reserve(parent.rootId)
    try {
      const seed = request.provider === 'fork' ? await seedOf(this.#deps, parent.session.id) : []
      if (signal.aborted) throw new SubagentError('CANCELLED', 'The turn was stopped.')
      const full: SessionHeader = seed.length === 0 ? header : { ...header, seedLength: seed.length }
      return await this.#create(request, full, seed)
    } finally {
      free()
    }
  }

  async #create(
    request: ChildRequest,
    header: SessionHeader,
    seed: readonly StoredEvent[],
  ): Promise<ChildRun> {
    const { parent, childId, background, signal } = request
    const { live, activations, newId } = this.#deps
    const messageId = newId()
    const own = this.#creationEvents(request, messageId, seed.length)
    const log = await AgentLog.read(header, [seed])
    const session = await live.create(header, own, seed)
    let child: Activation
    try {
      child = activations.adopt(session, withOwn(log, session, seed.length), parent.rootId)
    } catch (error) {
      await live.dispose(session)
      throw error
    }
    const result = background ? null : new Promise<Settlement>(resolve => this.#waiting.set(childId, resolve))
    child.agent.wake()
    if (signal.aborted) child.agent.interrupt('parent')
    return { childId, messageId, result }
  }

  /** What an absent parent missed, once it is back. */
  deliver(parent: Activation, settlement: Settlement): void {
    if (parent.session.isClosed) return
    const { childId, childSeq, label, outcome, text } = settlement
    const known = parent.agent.log.settled.get(childId) ?? -1
    if (known >= childSeq) return
    parent.session.append({ type: 'subagent/settled', data: { childId, childSeq, label, outcome, text } })
    const content: Content = [{ type: 'text', text: noticeText(settlement) }]
    parent.agent.deliver(content, { kind: 'settlement', from: childId }, 'steer')
  }

  #notify({ session }: Activation, settlement: Settlement): void {
    const { parentSession } = session.header
    const parent = parentSession === undefined ? undefined : this.#deps.activations.get(parentSession)
    if (parent !== undefined) this.deliver(parent, settlement)
  }

  #headerOf({ parent, childId, preset }: ChildRequest): SessionHeader {
    const { header } = parent.session
    const delegationDepth = (header.delegationDepth ?? 0) + 1
    this.#deps.limits.requireDepth(delegationDepth)
    return {
      version: 1,
      id: childId,
      createdAt: this.#deps.now(),
      ...(header.cwd !== undefined && { cwd: header.cwd }),
      parentSession: header.id,
      origin: 'subagent',
      delegationDepth,
      ...(preset !== undefined && { preset }),
    }
  }

  #creationEvents(request: ChildRequest, messageId: string, seedLength: number): NewEvent[] {
    const { parent, prompt } = request
    const { id } = parent.session
    const route = request.route ?? parent.agent.log.route ?? parent.record.route ?? this.#deps.defaultRoute()
    return [
      ...(seedLength === 0 ? [] : [{ type: 'session/end-seed' as const, data: { source: id } }]),
      { type: 'subagent/descriptor', data: descriptorOf(request, route) },
      { type: 'approval/policy', data: { mode: parent.record.approvalMode } },
      { type: 'model/changed', data: { route, by: 'parent' } },
      {
        type: 'inbox/queued',
        data: { messageId, mode: 'queue', source: { kind: 'parent', from: id }, content: prompt },
      },
    ]
  }
}

function descriptorOf({ mode, provider, label, preset: name }: ChildRequest, route: ModelRoute): Descriptor {
  if (mode === 'one-shot') return { version: 2, mode, provider, label }
  const preset = name === undefined ? undefined : findPreset(name)
  return {
    version: 2,
    mode,
    provider,
    label,
    agentProvider: route.provider,
    agentModel: route.model,
    ...(preset?.persona !== undefined && { persona: preset.persona }),
    ...(preset?.toolFilter !== undefined && { toolFilter: preset.toolFilter }),
  }
}
