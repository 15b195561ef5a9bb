import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import type { Content } from '#shared/session/content.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import { savedInTime } from '../session/until-saved.ts'
import type { Activations } from './activations.ts'
import type { TreeLimits } from './limits.ts'
import type { Lineage } from './lineage.ts'
import type { Rollups } from './rollup.ts'

/** Who speaks: the person at the window may address anyone, an agent only its own. */
export type Sender = { readonly kind: 'person' } | { readonly kind: 'parent'; readonly from: SessionId }

export interface MessagingDeps {
  readonly activations: Activations
  readonly live: LiveSessions
  readonly lineage: Lineage
  readonly limits: TreeLimits
  readonly rollups: Pick<Rollups, 'waiting'>
}

/** Messages and stops, to sessions at any depth. */
export class Messaging {
  readonly #deps: MessagingDeps

  constructor(deps: MessagingDeps) {
    this.#deps = deps
  }

  /**
   * Resolves when the message is durably queued. A cold session is resumed for it; one that is being let go is
   * waited for and resumed.
   * @throws what `Activations.use` throws; SubagentError `UNAUTHORIZED` for another agent's child, `LIMIT_EXCEEDED`
   * for an agent that would set too many to work: then nothing was delivered. WorkbenchError `NOT_SAVED`: the
   * sentence says whether it was. `SEQ_CONFLICT`: it was not.
   */
  async send(sender: Sender, id: SessionId, content: Content, mode: 'queue' | 'steer'): Promise<string> {
    const { activations, live, limits } = this.#deps
    if (sender.kind === 'parent') await this.#requireParent(sender.from, id)
    return activations.use(id, 'message', async ({ agent, session, rootId }) => {
      if (live.trouble !== null) {
        throw new WorkbenchError('NOT_SAVED', 'Saving fails at the moment, so this message was not taken.')
      }
      if (sender.kind === 'parent' && !agent.isRunning) limits.requireRoom(rootId)
      const messageId = agent.deliver(content, sender, mode)
      await savedInTime(live, session)
      return messageId
    })
  }

  /**
   * Takes up a turn that failed, met a limit or was interrupted: same session, same history. A cold one is resumed for it.
   * @throws what `send` throws, and WorkbenchError `BAD_REQUEST` when there is nothing to try again.
   */
  async retry(id: SessionId): Promise<void> {
    const { activations, live } = this.#deps
    await activations.use(id, 'message', async ({ agent, session }) => {
      if (live.trouble !== null) {
        throw new WorkbenchError('NOT_SAVED', 'Saving fails at the moment, so it was not tried again.')
      }
      agent.retry()
      await savedInTime(live, session)
    })
  }

  /** Stops the turn of one session; a session that does nothing is left as it is. */
  async interrupt(id: SessionId): Promise<void> {
    await this.#requireSession(id)
    await this.#stop(id)
  }

  /** @throws SubagentError `UNAUTHORIZED` unless `ancestor` is above `id`. */
  async interruptFrom(ancestor: SessionId, id: SessionId): Promise<void> {
    const chain = await this.#deps.lineage.upwards(id)
    if (!chain.slice(1).some(header => header.id === ancestor)) {
      throw new SubagentError('UNAUTHORIZED', 'This is not an agent below you.')
    }
    this.#deps.activations.interrupt(id, 'parent')
  }

  /**
   * Stops a session and everything under it, top-down, with what was about to start there.
   * @returns how many were stopped.
   * @throws WorkbenchError for a record that waits for an answer and cannot be resumed: all else was stopped.
   */
  async stopTree(id: SessionId): Promise<number> {
    await this.#requireSession(id)
    const { activations } = this.#deps
    const stopped = new Set<SessionId>()
    if (activations.interrupt(id, 'user')) stopped.add(id)
    // A child that a stopped turn was creating shows up when that turn has ended.
    for (let isNew = true; isNew; ) {
      const tree = [activations.get(id), ...activations.under(id)].filter(one => one !== undefined)
      const fresh = tree.filter(one => activations.interrupt(one.session.id, causeFor(one.session.id, id)))
      for (const { session } of fresh) stopped.add(session.id)
      await Promise.all(tree.map(({ agent }) => agent.settled()))
      isNew = fresh.length > 0
    }
    const damaged: WorkbenchError[] = []
    for (const waiting of await this.#waitingIn(id)) {
      try {
        if (await this.#stop(waiting)) stopped.add(waiting)
      } catch (error) {
        // One that cannot be resumed keeps its question; the others are stopped all the same.
        if (!(error instanceof WorkbenchError)) throw error
        damaged.push(error)
      }
    }
    if (damaged[0] !== undefined) throw damaged[0]
    return stopped.size
  }

  /** @throws WorkbenchError `BAD_REQUEST` when a turn has read the message already. */
  async unqueue(id: SessionId, messageId: string): Promise<void> {
    await this.#deps.activations.use(id, 'record', async ({ agent, session }) => {
      if (!agent.unqueue(messageId, 'person')) {
        throw new WorkbenchError('BAD_REQUEST', 'This message is no longer in the queue.')
      }
      await savedInTime(this.#deps.live, session)
    })
  }

  /** A cold session does nothing, unless its turn is open on disk: then it waits for an answer. */
  async #stop(id: SessionId): Promise<boolean> {
    const { activations, rollups } = this.#deps
    const isHere = activations.get(id) !== undefined || rollups.waiting().includes(id)
    if (!isHere) return false
    return activations.use(id, 'record', async ({ agent }) => {
      const wasBusy = activations.interrupt(id, 'user')
      await agent.settled()
      return wasBusy
    })
  }

  /** Cold sessions at or below `id` that wait for a person. */
  async #waitingIn(id: SessionId): Promise<SessionId[]> {
    const { activations, lineage, rollups } = this.#deps
    const found: SessionId[] = []
    for (const waiting of rollups.waiting()) {
      if (activations.get(waiting) !== undefined) continue
      const chain = await lineage.upwards(waiting)
      if (chain.some(header => header.id === id)) found.push(waiting)
    }
    return found
  }

  async #requireSession(id: SessionId): Promise<void> {
    if ((await this.#deps.lineage.header(id)) !== null) return
    throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
  }

  async #requireParent(parent: SessionId, id: SessionId): Promise<void> {
    const header = await this.#deps.lineage.header(id)
    if (header === null) throw new SubagentError('NOT_RESUMABLE', `There is no agent ${shortId(id)}.`)
    if (header.origin === 'subagent' && header.parentSession === parent) return
    throw new SubagentError('UNAUTHORIZED', 'This agent belongs to another parent.')
  }
}

function causeFor(id: SessionId, top: SessionId): 'user' | 'parent' {
  return id === top ? 'user' : 'parent'
}
