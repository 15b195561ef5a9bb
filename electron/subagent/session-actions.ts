import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { hasCode, WorkbenchError } from '#shared/errors.ts'
import type { Frame } from '#shared/frames.ts'
import type { ProjectionValues } from '#shared/projection/units.ts'
import type { ApprovalMode } from '#shared/session/approval-mode.ts'
import type { ModelRoute, NewEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { AgentLog } from '../agent/agent-log.ts'
import { typedValues } from '../projection/typed-values.ts'
import { seedOf } from '../session/fork.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import { savedInTime } from '../session/until-saved.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Activation } from './activation.ts'
import type { Activations } from './activations.ts'
import { labelOf } from './approval-desk.ts'
import type { Lineage } from './lineage.ts'
import { withOwn } from './own-events.ts'
import type { Rollups } from './rollup.ts'

export interface NewRoot {
  readonly cwd: string
  readonly route: ModelRoute
  readonly approvalMode: ApprovalMode
  /** Reserved by the caller; absent: a new one. */
  readonly id?: SessionId
  readonly title?: string
}

export interface SessionActionsDeps {
  readonly live: LiveSessions
  readonly persistence: SessionPersistence
  readonly checkpoints: Pick<CheckpointStore, 'snapshot'>
  readonly activations: Activations
  readonly lineage: Lineage
  readonly rollups: Rollups
  /** What a session that is at work is called. */
  readonly labelOf: (id: SessionId) => string
  readonly defaultRoute: () => ModelRoute
  /** @throws WorkbenchError when the route cannot be used. */
  readonly requireRoute: (route: ModelRoute) => void
  /** Told when a session came, went or was put away without becoming live. */
  readonly onListed: (frame: Extract<Frame, { kind: 'added' | 'removed' | 'archived' }>) => void
  readonly newSessionId: () => SessionId
  readonly now: () => number
}

/** What a person does to whole sessions. */
export class SessionActions {
  readonly #deps: SessionActionsDeps

  constructor(deps: SessionActionsDeps) {
    this.#deps = deps
  }

  /** @throws WorkbenchError `FOLDER_MISSING`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`: then there is no session. */
  async create({ cwd, route, approvalMode, id, title }: NewRoot): Promise<SessionId> {
    await requireFolder(cwd)
    this.#deps.requireRoute(route)
    const own: NewEvent[] = [
      { type: 'approval/policy', data: { mode: approvalMode } },
      { type: 'model/changed', data: { route, by: 'person' } },
    ]
    if (title !== undefined) own.push({ type: 'session/title', data: { title, source: 'person' } })
    return this.#publish({ cwd, ...(id !== undefined && { id }) }, own)
  }

  /**
   * A new root that begins with this history, also with one that is read-only or damaged behind the boundary.
   * The source is not touched.
   */
  async fork(source: SessionId, atSeq?: number): Promise<SessionId> {
    const { persistence, checkpoints } = this.#deps
    const stored = await persistence.get(source)
    if (stored === null) throw notFound(source)
    const seed = await seedOf(this.#deps, source, atSeq)
    // A record that cannot be folded still has a history to begin with.
    const snapshot = await checkpoints.snapshot(source).catch(() => ({ values: {} }))
    const values = typedValues(snapshot.values)
    const route = this.#usableRoute(values)
    const { cwd } = stored.header
    const own: NewEvent[] = [
      { type: 'session/end-seed', data: { source } },
      { type: 'approval/policy', data: { mode: 'ask' } },
      { type: 'model/changed', data: { route, by: 'person' } },
      { type: 'session/title', data: { title: `${labelOf(source, values)} (continued)`, source: 'fork' } },
    ]
    const facts = { ...(cwd !== undefined && { cwd }), parentSession: source, seedLength: seed.length }
    return this.#publish(facts, own, seed)
  }

  /** Names a root; a cold one is opened for it, since its name is part of its log. */
  async rename(id: SessionId, title: string): Promise<void> {
    await this.#noteInRoot(id, { type: 'session/title', data: { title, source: 'person' } })
  }

  /** From the next model request on. */
  async setModel(id: SessionId, route: ModelRoute): Promise<void> {
    this.#deps.requireRoute(route)
    await this.#noteInRoot(id, { type: 'model/changed', data: { route, by: 'person' } })
  }

  /** From the next call of a tool on. What is delegated from now on inherits it; children that are there keep theirs. */
  async setApprovalMode(id: SessionId, mode: ApprovalMode): Promise<void> {
    await this.#noteInRoot(id, { type: 'approval/policy', data: { mode } })
  }

  /** With everything delegated below it. Nothing is stopped. @returns the number of sessions. */
  async archive(id: SessionId, archived: boolean): Promise<number> {
    const { persistence, onListed } = this.#deps
    const sessions = await persistence.archive(id, archived)
    onListed({ kind: 'archived', sessionId: id, archived })
    return sessions
  }

  /**
   * Puts the whole tree into the trash. Questions that wait for a person stay open in it.
   * @param stopRunning work that runs is stopped and saved first.
   * @returns the number of sessions.
   * @throws WorkbenchError `WORK_RUNNING` when something runs and is not to be stopped: then nothing was changed.
   */
  async trash(id: SessionId, stopRunning = false): Promise<number> {
    const { activations, live, persistence, rollups, onListed } = this.#deps
    await this.#requireRecord(id)
    if (!stopRunning) this.#refuseRunning(id)
    await this.#stopRunning(id)
    await live.flush()
    const waiting = await this.#waitingIn(id)
    const sessions = await activations.withdraw(id, () => persistence.trash(id))
    await Promise.all(waiting.map(one => rollups.forget(one)))
    onListed({ kind: 'removed', sessionId: id })
    return sessions
  }

  /** Everything that went into the trash with it, questions included. @returns the number of sessions. */
  async restore(id: SessionId): Promise<number> {
    const { persistence, rollups, onListed } = this.#deps
    const sessions = await persistence.restore(id)
    await rollups.readWaiting()
    const stored = await persistence.get(id).catch((error: unknown) => {
      // A header that cannot be read is shown by the next listing.
      if (error instanceof WorkbenchError) return null
      throw error
    })
    if (stored !== null) onListed({ kind: 'added', header: stored.header })
    return sessions
  }

  /** Residents of a tree that do more than wait for a person, parents first. */
  #working(id: SessionId): Activation[] {
    const { activations } = this.#deps
    const tree = [activations.get(id), ...activations.under(id)].filter(one => one !== undefined)
    return tree.filter(({ agent }) => !agent.log.openTurn.isWaitingForAnswers)
  }

  #refuseRunning(id: SessionId): void {
    const running = this.#working(id).filter(({ agent }) => agent.isRunning)
    if (running.length === 0) return
    const names = listed(running.map(({ session }) => this.#deps.labelOf(session.id)))
    throw new WorkbenchError('WORK_RUNNING', `${names} ${running.length === 1 ? 'is' : 'are'} running.`)
  }

  /** Idle ones too, so that no news of a stopped child wakes them. One that a stopped turn was creating shows up late. */
  async #stopRunning(id: SessionId): Promise<void> {
    for (let isAlive = true; isAlive; ) {
      const working = this.#working(id)
      isAlive = working.some(({ agent }) => agent.isRunning)
      for (const { session } of working)
        this.#deps.activations.interrupt(session.id, session.id === id ? 'user' : 'parent')
      await Promise.all(working.map(({ agent }) => agent.settled()))
    }
  }

  async #waitingIn(id: SessionId): Promise<SessionId[]> {
    const { lineage, rollups } = this.#deps
    const found: SessionId[] = []
    for (const waiting of rollups.waiting()) {
      const chain = await lineage.upwards(waiting).catch((error: unknown) => {
        // One whose header cannot be read is in nobody's tree.
        if (error instanceof WorkbenchError) return []
        throw error
      })
      if (chain.some(header => header.id === id)) found.push(waiting)
    }
    return found
  }

  async #publish(
    facts: Partial<Pick<SessionHeader, 'id'>> & Pick<SessionHeader, 'cwd' | 'parentSession' | 'seedLength'>,
    own: readonly NewEvent[],
    seed: Awaited<ReturnType<typeof seedOf>> = [],
  ): Promise<SessionId> {
    const { live, activations, newSessionId, now } = this.#deps
    const header: SessionHeader = { version: 1, id: newSessionId(), createdAt: now(), ...facts }
    const log = await AgentLog.read(header, [seed])
    const session = await live.create(header, own, seed)
    activations.adopt(session, withOwn(log, session, seed.length), session.id)
    return session.id
  }

  /** A history of another tool names models that may not be here: then the default is used, and logged. */
  #usableRoute({ identityRecord }: ProjectionValues): ModelRoute {
    const route = identityRecord?.route ?? null
    if (route === null) return this.#deps.defaultRoute()
    try {
      this.#deps.requireRoute(route)
      return route
    } catch {
      // Why it cannot be used does not matter here: another is used instead, and the log says which.
      return this.#deps.defaultRoute()
    }
  }

  /** Needs nothing but the record: a root whose folder or model is gone is still named, and given another model. */
  async #noteInRoot(id: SessionId, event: NewEvent): Promise<void> {
    const { header } = await this.#requireStored(id)
    if (header.origin === 'subagent') {
      throw new WorkbenchError(
        'BAD_REQUEST',
        'A child keeps the name, the model and the permissions it was started with.',
      )
    }
    await this.#deps.activations.use(id, 'record', async ({ session }) => {
      session.append(event)
      await savedInTime(this.#deps.live, session)
    })
  }

  /** A damaged one will do: it can be thrown away as well. */
  async #requireRecord(id: SessionId): Promise<void> {
    await this.#requireStored(id).catch((error: unknown) => {
      if (!hasCode(error, 'SESSION_DAMAGED') && !hasCode(error, 'SESSION_VERSION')) throw error
    })
  }

  async #requireStored(id: SessionId) {
    const stored = await this.#deps.persistence.get(id)
    if (stored === null) throw notFound(id)
    return stored
  }
}

const NAMED = 3

function listed(labels: readonly string[]): string {
  const more = labels.length - NAMED
  const named = labels.slice(0, more > 0 ? NAMED : undefined)
  const last = more > 0 ? `${more} more` : named.pop()
  return named.length === 0 ? (last ?? '') : `${named.join(', ')} and ${last}`
}

function notFound(id: SessionId): WorkbenchError {
  return new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
}

async function requireFolder(cwd: string): Promise<void> {
  const found = isAbsolute(cwd) ? await stat(cwd).catch(() => null) : null
  if (found?.isDirectory()) return
  throw new WorkbenchError('FOLDER_MISSING', `There is no folder ${cwd}.`)
}
