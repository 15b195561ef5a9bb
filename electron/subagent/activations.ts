import { stat } from 'node:fs/promises'
import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import type { IdentityRecord } from '#shared/projection/units/identity-record.ts'
import type { ModelRoute, StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Outcome, StopCause } from '#shared/session/outcome.ts'
import { Agent, type AgentDeps, type AgentSetup } from '../agent/agent.ts'
import type { TextPiece } from '../agent/live-message.ts'
import { systemPrompt } from '../agent/system-prompt.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { Listeners } from '../session/listeners.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Tool } from '../tool/tool.ts'
import type { Lineage } from './lineage.ts'
import { findPreset, passesFilter } from './presets.ts'
import { type Admission, requireResumable } from './resumable.ts'
import { type Settlement, toChildOutcome } from './settlement.ts'

/** A session's residence in this process: its one agent (contracts §7). Losing it loses nothing. */
export interface Activation {
  readonly agent: Agent
  readonly session: Session
  readonly rootId: SessionId
  readonly record: IdentityRecord
  /** `true`: its end is told to the parent by a notice; `false`: somebody waits for it. */
  background: boolean
}

export interface ActivationsDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: SessionPersistence
  readonly checkpoints: Pick<CheckpointStore, 'snapshot'>
  readonly lineage: Lineage
  readonly agent: Pick<
    AgentDeps,
    'resolveModel' | 'cost' | 'untilSaved' | 'describeError' | 'newId' | 'now' | 'onError'
  >
  /** Every tool, before a child's filter. */
  readonly tools: () => readonly Tool[]
  readonly defaultRoute: () => ModelRoute
  readonly mustAsk: (activation: Activation, tool: Tool, input: unknown) => string | null
  readonly limitReached: (activation: Activation) => string | null
  /** Awaited before a cold session comes back. */
  readonly beforeOpen: (rootId: SessionId) => Promise<void>
  readonly onPiece: (sessionId: SessionId, piece: TextPiece) => void
  readonly onMessageEnd: (sessionId: SessionId, messageId: string) => void
}

/**
 * At most one activation per session, however often and from wherever it is asked for. Roots stay once they
 * were used; a child is let go when it is idle and nothing under it runs, child first.
 */
export class Activations {
  readonly #deps: ActivationsDeps
  readonly #resident = new Map<SessionId, Activation>()
  readonly #opening = new Map<SessionId, Promise<Activation>>()
  readonly #closing = new Map<SessionId, Promise<void>>()
  readonly #onSettled: Listeners<[Activation, Settlement]>
  readonly #onOpened: Listeners<[Activation]>
  #draining = false

  constructor(deps: ActivationsDeps) {
    this.#deps = deps
    this.#onSettled = new Listeners(deps.agent.onError)
    this.#onOpened = new Listeners(deps.agent.onError)
    deps.live.onEvent((session, event) => this.#resident.get(session.id)?.agent.observe(event))
    deps.live.onRemoved(session => this.#resident.delete(session.id))
  }

  get(id: SessionId): Activation | undefined {
    return this.#resident.get(id)
  }

  list(): Activation[] {
    return [...this.#resident.values()]
  }

  /** Children that run under a root, at any depth. */
  runningUnder(rootId: SessionId): number {
    return this.list().filter(one => one.rootId === rootId && isChild(one) && one.agent.isRunning).length
  }

  onSettled(listener: (activation: Activation, settlement: Settlement) => void): () => void {
    return this.#onSettled.add(listener)
  }

  /** A cold session came back: what it missed can be delivered. */
  onOpened(listener: (activation: Activation) => void): () => void {
    return this.#onOpened.add(listener)
  }

  /**
   * The activation of a session, resumed from its own record where it is cold. Waits for one that is being let go.
   * @throws what `load` and `requireResumable` throw, `FOLDER_MISSING`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`,
   * `DRAINING`: then nothing was changed.
   */
  async open(id: SessionId, admission: Admission): Promise<Activation> {
    this.#admit()
    await this.#closing.get(id)
    const resident = this.#resident.get(id)
    if (resident !== undefined) {
      requireResumable(resident.session.header, resident.record, this.#relax(resident, admission))
      return resident
    }
    const opening =
      this.#opening.get(id) ?? this.#resume(id, admission).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  /** Takes over a session that was just created and published. */
  async adopt(session: Session, events: readonly StoredEvent[], background: boolean): Promise<Activation> {
    this.#admit()
    const rootId = await this.#deps.lineage.rootOf(session.id)
    return this.#activate(session, events, rootId, background)
  }

  /** Stops a session's turn. @returns whether anything was running or open. */
  interrupt(id: SessionId, by: StopCause): boolean {
    const activation = this.#resident.get(id)
    if (activation === undefined) return false
    const wasBusy = activation.agent.isRunning || activation.agent.log.isTurnOpen
    activation.agent.interrupt(by)
    return wasBusy
  }

  /** Resident sessions below `id`, parents before children. */
  under(id: SessionId): Activation[] {
    const found: Activation[] = []
    const parents = new Set([id])
    let rest = this.list().filter(isChild)
    for (let before = -1; before !== rest.length; ) {
      before = rest.length
      rest = rest.filter(one => {
        const { parentSession, id: childId } = one.session.header
        if (parentSession === undefined || !parents.has(parentSession) || parents.has(childId)) return true
        parents.add(childId)
        found.push(one)
        return false
      })
    }
    return found
  }

  /** Ends everything: turns are stopped top-down and logged, sessions let go child first, all of it saved. */
  async drain(): Promise<void> {
    this.#draining = true
    await Promise.allSettled([...this.#opening.values()])
    const all = this.list()
    await Promise.allSettled(all.map(({ agent }) => agent.dispose()))
    const byDepth = all.sort((a, b) => depthOf(b.session.header) - depthOf(a.session.header))
    for (const { session } of byDepth) await this.#deps.live.dispose(session).catch(this.#deps.agent.onError)
  }

  #admit(): void {
    if (this.#draining) throw new SubagentError('DRAINING', 'Espalier is closing: nothing new is started.')
  }

  /** A one-shot child at work takes no new task, but what is under way may be answered. */
  #relax({ agent }: Activation, admission: Admission): Admission {
    return admission === 'decision' && agent.log.questions.size > 0 ? 'decision' : admission
  }

  async #resume(id: SessionId, admission: Admission): Promise<Activation> {
    const { persistence, live, lineage } = this.#deps
    const preview = await persistence.get(id)
    if (preview === null) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
    await requireFolder(preview.header)
    const { values } = await this.#deps.checkpoints.snapshot(id)
    const record = recordOf(values['identityRecord'])
    requireResumable(preview.header, record, admission)
    this.#requireRestorable(preview.header, record)
    if (live.get(id) !== undefined)
      throw new SubagentError('UNAUTHORIZED', 'This session is in use elsewhere.')
    const rootId = await lineage.rootOf(id)
    await this.#deps.beforeOpen(rootId)
    const loaded = await persistence.load(id)
    this.#admit()
    const session = live.adopt(loaded)
    const activation = this.#activate(session, loaded.events, rootId, true)
    this.#onOpened.tell(activation)
    return activation
  }

  /** What cannot be restored refuses the resume: nothing falls back to a default in silence. */
  #requireRestorable({ preset }: SessionHeader, { route, descriptor }: IdentityRecord): void {
    if (route !== null) this.#deps.agent.resolveModel(route)
    if (descriptor?.mode === 'one-shot' && preset !== undefined && findPreset(preset) === undefined) {
      throw new SubagentError('NOT_RESUMABLE', `Its preset "${preset}" is not here any more.`)
    }
    const allowed = descriptor?.mode === 'continuable' ? (descriptor.toolFilter?.allow ?? []) : []
    const known = new Set(this.#deps.tools().map(({ name }) => name))
    const lost = allowed.filter(name => !known.has(name))
    if (lost.length === 0) return
    throw new SubagentError(
      'NOT_RESUMABLE',
      `Its tools cannot be restored: ${lost.join(', ')} is not here any more.`,
    )
  }

  #activate(
    session: Session,
    events: readonly StoredEvent[],
    rootId: SessionId,
    background: boolean,
  ): Activation {
    const { id } = session
    const record = recordOf(this.#deps.registry.valueOf(id, 'identityRecord'))
    const activation: Activation = {
      session,
      rootId,
      record,
      background,
      agent: new Agent({
        ...this.#deps.agent,
        session,
        events,
        setup: () => this.#setupOf(activation),
        mustAsk: (tool, input) => this.#deps.mustAsk(activation, tool, input),
        limitReached: () => this.#deps.limitReached(activation),
        saveDraft: draft =>
          void this.#deps.persistence.saveDrafts([{ sessionId: id, draft }]).catch(this.#deps.agent.onError),
        onPiece: piece => this.#deps.onPiece(id, piece),
        onMessageEnd: messageId => this.#deps.onMessageEnd(id, messageId),
        onIdle: () => this.#settleIfIdle(activation),
      }),
    }
    this.#resident.set(id, activation)
    return activation
  }

  #setupOf({ session, record, agent }: Activation): AgentSetup {
    const { descriptor } = record
    const { header } = session
    // A continuable child's own record has both; a one-shot's has the name of its preset only.
    const made = descriptor?.mode === 'continuable' ? descriptor : findPreset(header.preset ?? '')
    const tools = this.#deps
      .tools()
      .filter(tool => passesFilter(tool.name, made?.toolFilter) && this.#isOffered(tool, record))
    const cwd = header.cwd ?? process.cwd()
    const canDelegate = tools.some(({ name }) => name === 'delegate')
    const system = systemPrompt({ cwd, isChild: descriptor !== null, persona: made?.persona, canDelegate })
    return { route: agent.log.route ?? record.route ?? this.#deps.defaultRoute(), system, tools, cwd }
  }

  /** `report` is for those whose parent may hear from them more than once. */
  #isOffered(tool: Tool, { descriptor }: IdentityRecord): boolean {
    return tool.name !== 'report' || descriptor?.mode === 'continuable'
  }

  /**
   * A child that is idle, with nothing running under it, is let go; then its parent is told, and may be idle
   * itself. Roots stay: a person is about to speak to them again.
   */
  #settleIfIdle(activation: Activation): void {
    const { agent, session } = activation
    if (!isChild(activation) || agent.isRunning || this.#draining) return
    if (this.#resident.get(session.id) !== activation || this.#closing.has(session.id)) return
    if (this.under(session.id).length > 0 || agent.log.isTurnOpen) return
    const settlement = this.#settlementOf(activation)
    const closing = this.#release(activation).finally(() => {
      this.#closing.delete(session.id)
      this.#onSettled.tell(activation, settlement)
      const { parentSession } = session.header
      const parent = parentSession === undefined ? undefined : this.#resident.get(parentSession)
      if (parent !== undefined) this.#settleIfIdle(parent)
    })
    this.#closing.set(session.id, closing)
  }

  /** A child that cannot be saved is let go all the same; its result is delivered. */
  async #release({ agent, session }: Activation): Promise<void> {
    await agent.dispose()
    await this.#deps.live.dispose(session).catch(this.#deps.agent.onError)
    this.#resident.delete(session.id)
  }

  #settlementOf({ session, agent, record }: Activation): Settlement {
    const turns = this.#deps.registry.valueOf(session.id, 'turns') as
      | { endSeq: number | null }
      | null
      | undefined
    // A child that never ran ends at the end of its log.
    const childSeq = turns?.endSeq ?? session.nextSeq - 1
    const outcome = this.#deps.registry.valueOf(session.id, 'outcome') as Outcome | null | undefined
    const label = record.descriptor?.label ?? shortId(session.id)
    return {
      childId: session.id,
      childSeq,
      label,
      text: agent.log.lastText,
      ...toChildOutcome(outcome ?? null),
    }
  }
}

/** A record that could not be folded says nothing: then nothing may be resumed by it. */
function recordOf(value: unknown): IdentityRecord {
  return (value ?? { descriptor: null, route: null, approvalMode: 'ask' }) as IdentityRecord
}

function isChild({ session }: Activation): boolean {
  return session.header.origin === 'subagent'
}

function depthOf(header: SessionHeader): number {
  return header.delegationDepth ?? 0
}

/** @throws WorkbenchError `FOLDER_MISSING`: an agent is never put to work somewhere else. */
async function requireFolder({ cwd }: SessionHeader): Promise<void> {
  if (cwd === undefined) return
  const found = await stat(cwd).catch(() => null)
  if (found?.isDirectory()) return
  throw new WorkbenchError('FOLDER_MISSING', `The folder ${cwd} is gone. The history can still be read.`)
}
