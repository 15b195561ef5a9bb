import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import type { Content } from '#shared/session/content.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Activations } from './activations.ts'
import type { Lineage } from './lineage.ts'

/** Who speaks: the person at the window may address anyone, an agent only its own. */
export type Sender = { readonly kind: 'person' } | { readonly kind: 'parent'; readonly from: SessionId }

export interface MessagingDeps {
  readonly activations: Activations
  readonly live: LiveSessions
  readonly lineage: Lineage
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
   * @throws what `Activations.open` throws; SubagentError `UNAUTHORIZED` for another agent's child. Then nothing
   * was delivered.
   */
  async send(sender: Sender, id: SessionId, content: Content, mode: 'queue' | 'steer'): Promise<string> {
    if (sender.kind === 'parent') await this.#requireParent(sender.from, id)
    const activation = await this.#deps.activations.open(id, 'message')
    activation.background = true
    const messageId = activation.agent.deliver(content, sender, mode)
    await this.#deps.live.flush()
    return messageId
  }

  /** Stops the turn of one session; a session that does nothing is left as it is. */
  async interrupt(id: SessionId): Promise<void> {
    await this.#requireSession(id)
    const activation = this.#deps.activations.get(id) ?? (await this.#openQuestion(id))
    activation?.agent.interrupt('user')
    await activation?.agent.settled()
  }

  /** @throws SubagentError `UNAUTHORIZED` unless `ancestor` is above `id`. */
  async interruptFrom(ancestor: SessionId, id: SessionId): Promise<void> {
    const chain = await this.#deps.lineage.upwards(id)
    if (!chain.slice(1).some(header => header.id === ancestor)) {
      throw new SubagentError('UNAUTHORIZED', 'This is not an agent below you.')
    }
    this.#deps.activations.interrupt(id, 'parent')
  }

  /** Stops a session and everything under it, top-down. @returns how many were stopped. */
  async stopTree(id: SessionId): Promise<number> {
    await this.#requireSession(id)
    const { activations } = this.#deps
    const below = activations.under(id)
    const top = activations.get(id) ?? (await this.#openQuestion(id))
    let stopped = 0
    if (top !== undefined && activations.interrupt(id, 'user')) stopped += 1
    for (const { session } of below) if (activations.interrupt(session.id, 'parent')) stopped += 1
    await Promise.all([...below, ...(top === undefined ? [] : [top])].map(({ agent }) => agent.settled()))
    return stopped
  }

  /** @throws WorkbenchError `BAD_REQUEST` when a turn has read the message already. */
  async unqueue(id: SessionId, messageId: string): Promise<void> {
    const activation = this.#deps.activations.get(id) ?? (await this.#deps.activations.open(id, 'decision'))
    if (!activation.agent.unqueue(messageId, 'person')) {
      throw new WorkbenchError('BAD_REQUEST', 'This message is no longer in the queue.')
    }
    await this.#deps.live.flush()
  }

  /** A cold session whose turn is open on disk: it waits for an answer, and can be stopped instead. */
  async #openQuestion(id: SessionId) {
    const header = await this.#deps.lineage.header(id)
    if (header === null) return undefined
    try {
      return await this.#deps.activations.open(id, 'decision')
    } catch (error) {
      // What cannot be resumed has nothing to stop.
      if (error instanceof WorkbenchError) return undefined
      throw error
    }
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
