import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { StopCause } from '#shared/session/outcome.ts'
import { Agent, type AgentDeps } from '../agent/agent.ts'
import { AgentLog } from '../agent/agent-log.ts'
import type { TextPiece } from '../agent/live-message.ts'
import type { Verdict } from '../agent/questions.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { liveValue, typedValues } from '../projection/typed-values.ts'
import { Listeners } from '../session/listeners.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Tool } from '../tool/tool.ts'
import { type Activation, depthOf, isChild, recordOf } from './activation.ts'
import type { Lineage } from './lineage.ts'
import type { Restoring } from './restoring.ts'
import type { Admission } from './resumable.ts'
import { type Settlement, settlementOf } from './settlement.ts'
import { wholeLog } from './whole-log.ts'

export interface ActivationsDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: SessionPersistence
  readonly checkpoints: Pick<CheckpointStore, 'snapshot' | 'catchUp'>
  readonly lineage: Lineage
  readonly restoring: Restoring
  readonly agent: Pick<
    AgentDeps,
    | 'resolveModel'
    | 'cost'
    | 'untilSaved'
    | 'flush'
    | 'outputOf'
    | 'describeError'
    | 'newId'
    | 'now'
    | 'onError'
  >
  readonly verdictOn: (activation: Activation, tool: Tool, input: unknown) => Verdict
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
  readonly #opening = new Map<SessionId, Promise<void>>()
  readonly #closing = new Map<SessionId, Promise<void>>()
  /** How many calls use an activation now: it is not let go under them. */
  readonly #uses = new Map<Activation, number>()
  readonly #onSettled: Listeners<[Activation, Settlement]>
  readonly #onOpened: Listeners<[Activation]>
  #draining = false

  constructor(deps: ActivationsDeps) {
    this.#deps = deps
    this.#onSettled = new Listeners(deps.agent.onError)
    this.#onOpened = new Listeners(deps.agent.onError)
    deps.live.onEvent((session, event) => this.#resident.get(session.id)?.agent.observe(event))
    deps.live.onRemoved(session => this.#removed(session))
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

  /** A child ended, and what it did in this residence is news to its parent. */
  onSettled(listener: (activation: Activation, settlement: Settlement) => void): () => void {
    return this.#onSettled.add(listener)
  }

  /** A cold session came back: what it missed can be delivered. */
  onOpened(listener: (activation: Activation) => void): () => void {
    return this.#onOpened.add(listener)
  }

  /**
   * Does something with the activation of a session, resumed from its own record where it is cold. Waits for one
   * that is being let go; while `work` goes on, nothing is.
   * @throws what `work`, `load` and `Restoring.require` throw, `NOT_SAVED`, `STORE_READ_ONLY`, `DRAINING`: when it
   * was not `work`, nothing was changed.
   */
  async use<T>(
    id: SessionId,
    admission: Admission,
    work: (activation: Activation) => T | Promise<T>,
  ): Promise<T> {
    const activation = await this.#take(id, admission)
    try {
      return await work(activation)
    } finally {
      this.#giveBack(activation)
    }
  }

  /** Until what it returns is called, this activation is not let go. */
  hold(activation: Activation): () => void {
    this.#count(activation, 1)
    return () => this.#giveBack(activation)
  }

  /** Takes over a session that was just created and published. @throws SubagentError `DRAINING`. */
  adopt(session: Session, log: AgentLog, rootId: SessionId): Activation {
    this.#admit()
    return this.#activate(session, log, rootId, 0)
  }

  /** Stops a session's turn. @returns whether anything was running or open. */
  interrupt(id: SessionId, by: StopCause): boolean {
    const activation = this.#resident.get(id)
    if (activation === undefined) return false
    const wasBusy = activation.agent.isRunning || activation.agent.log.openTurn.isOpen
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

  /** Lets a tree go, child first, and tells nobody. None of it comes back before `work` is done. */
  async withdraw<T>(id: SessionId, work: () => Promise<T>): Promise<T> {
    const tree = [...this.under(id).reverse(), this.get(id)].filter(one => one !== undefined)
    await Promise.all(tree.map(({ session }) => this.#closing.get(session.id)))
    const done = Promise.withResolvers<void>()
    for (const { session } of tree) this.#closing.set(session.id, done.promise)
    try {
      for (const one of tree) await this.#leave(one)
      return await work()
    } finally {
      for (const { session } of tree) this.#closing.delete(session.id)
      done.resolve()
    }
  }

  /** Ends everything: turns are stopped top-down and logged, sessions let go child first, all of it saved. */
  async drain(): Promise<void> {
    this.#draining = true
    await Promise.allSettled([...this.#opening.values(), ...this.#closing.values()])
    const all = this.list()
    await Promise.allSettled(all.map(({ agent }) => agent.dispose()))
    const byDepth = Map.groupBy(all, ({ session }) => depthOf(session.header))
    // Those of one depth are saved together.
    for (const [, level] of [...byDepth].sort(([a], [b]) => b - a)) {
      await Promise.all(
        level.map(({ session }) => this.#deps.live.dispose(session).catch(this.#deps.agent.onError)),
      )
    }
  }

  #admit(): void {
    if (this.#draining) throw new SubagentError('DRAINING', 'Espalier is closing: nothing new is started.')
  }

  async #take(id: SessionId, admission: Admission): Promise<Activation> {
    for (;;) {
      this.#admit()
      const changing = this.#closing.get(id) ?? this.#opening.get(id)
      const resident = this.#resident.get(id)
      if (changing !== undefined) {
        // Why another call could not open it says nothing about this one.
        await changing.catch(() => undefined)
      } else if (resident !== undefined) {
        return this.#takeResident(resident, admission)
      } else {
        const opening = this.#resume(id, admission)
        const settled = opening.then(
          () => void this.#opening.delete(id),
          () => void this.#opening.delete(id),
        )
        this.#opening.set(id, settled)
        return opening
      }
    }
  }

  async #takeResident(activation: Activation, admission: Admission): Promise<Activation> {
    const { session, record, agent } = activation
    this.#count(activation, 1)
    try {
      const route = agent.log.route ?? record.route
      await this.#deps.restoring.require(session.header, { ...record, route }, admission)
      return activation
    } catch (error) {
      this.#giveBack(activation)
      throw error
    }
  }

  #giveBack(activation: Activation): void {
    this.#count(activation, -1)
    this.#settleIfIdle(activation)
  }

  #count(activation: Activation, by: 1 | -1): void {
    const uses = (this.#uses.get(activation) ?? 0) + by
    if (uses > 0) this.#uses.set(activation, uses)
    else this.#uses.delete(activation)
  }

  async #resume(id: SessionId, admission: Admission): Promise<Activation> {
    const { persistence, live, lineage, checkpoints, restoring } = this.#deps
    const preview = await persistence.get(id)
    if (preview === null) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
    const { values } = await checkpoints.snapshot(id)
    await restoring.require(preview.header, recordOf(typedValues(values)), admission)
    if (live.get(id) !== undefined)
      throw new SubagentError('UNAUTHORIZED', 'This session is in use elsewhere.')
    const rootId = await lineage.rootOf(id)
    await this.#deps.beforeOpen(rootId)
    // A load ends what the store has of the log: events of its last stay here have to be there first.
    await live.flush()
    // With a checkpoint of its end, the registry folds nothing of a long log.
    await checkpoints.catchUp([id]).catch(this.#deps.agent.onError)
    const loaded = await persistence.load(id)
    const log = await AgentLog.read(loaded.header, wholeLog(persistence, loaded))
    this.#admit()
    const session = live.adopt(loaded)
    const activation = this.#activate(session, log, rootId, session.nextSeq)
    this.#count(activation, 1)
    this.#onOpened.tell(activation)
    return activation
  }

  #activate(session: Session, log: AgentLog, rootId: SessionId, sinceSeq: number): Activation {
    const { id } = session
    const { persistence, registry, restoring, agent } = this.#deps
    const atStart = recordOf({ identityRecord: liveValue(registry, id, 'identityRecord') })
    const activation: Activation = {
      session,
      rootId,
      // A person may change what a root does unasked while it works.
      get record() {
        return liveValue(registry, id, 'identityRecord') ?? atStart
      },
      sinceSeq,
      agent: new Agent({
        ...agent,
        session,
        log,
        setup: () => restoring.setupOf(activation),
        verdictOn: (tool, input) => this.#deps.verdictOn(activation, tool, input),
        limitReached: () => this.#deps.limitReached(activation),
        saveDraft: draft => void persistence.saveDrafts([{ sessionId: id, draft }]).catch(agent.onError),
        onPiece: piece => this.#deps.onPiece(id, piece),
        onMessageEnd: messageId => this.#deps.onMessageEnd(id, messageId),
        onIdle: () => this.#settleIfIdle(activation),
      }),
    }
    this.#resident.set(id, activation)
    return activation
  }

  /**
   * A child that is idle, with nothing running under it, is let go; then its parent is told, and may be idle
   * itself. Roots stay: a person is about to speak to them again.
   */
  #settleIfIdle(activation: Activation): void {
    const { agent, session } = activation
    if (!isChild(activation) || agent.isRunning || this.#draining || this.#uses.has(activation)) return
    if (this.#resident.get(session.id) !== activation || this.#closing.has(session.id)) return
    if (this.under(session.id).length > 0) return
    const settlement = settlementOf(this.#deps.registry, activation)
    const closing = this.#leave(activation).finally(() => {
      this.#closing.delete(session.id)
      this.#tell(activation, settlement)
    })
    this.#closing.set(session.id, closing)
  }

  /** A child that cannot be saved is let go all the same; its result is delivered. */
  async #leave({ agent, session }: Activation): Promise<void> {
    await agent.dispose().catch(this.#deps.agent.onError)
    await this.#deps.live.dispose(session).catch(this.#deps.agent.onError)
  }

  /** Nothing of this residence, nothing to tell. */
  #tell(activation: Activation, settlement: Settlement): void {
    if (settlement.childSeq >= activation.sinceSeq) this.#onSettled.tell(activation, settlement)
    const { parentSession } = activation.session.header
    const parent = parentSession === undefined ? undefined : this.#resident.get(parentSession)
    if (parent !== undefined) this.#settleIfIdle(parent)
  }

  /** Its session is gone. When nobody let it go, its record was taken over: whoever waits for it must hear of it. */
  #removed(session: Session): void {
    const activation = this.#resident.get(session.id)
    if (activation?.session !== session) return
    this.#resident.delete(session.id)
    if (this.#draining || this.#closing.has(session.id)) return
    activation.agent.dispose().catch(this.#deps.agent.onError)
    const reason = 'Its record was changed from elsewhere, so it was closed here.'
    const childSeq = session.nextSeq
    const settlement = settlementOf(this.#deps.registry, activation)
    this.#tell(activation, { ...settlement, childSeq, outcome: 'interrupted', reason })
  }
}
