import type { SessionId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { CheckpointStore, SessionCheckpoint } from '../store/persistence.ts'
import type { ProjectionRegistry } from './registry.ts'

const EVERY_EVENTS = 200
const EVERY_MS = 5000
/** Sessions that are due within this time are written together. */
const GATHER_MS = 50

export interface CheckpointPolicyDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly checkpoints: Pick<CheckpointStore, 'write'>
  /** A failed write is logged and fails nothing: the next one heals it. */
  readonly onError: (error: unknown) => void
}

interface Activity {
  events: number
  since: number
}

/**
 * Writes checkpoints at turn end and disposal always, and after 200 events or 5 s of activity (contracts §3); also
 * when a question is asked, since that is what a start looks for.
 * Never ahead of the log: a checkpoint is taken first and written after everything it covers is durable.
 */
export class CheckpointPolicy {
  readonly #deps: CheckpointPolicyDeps
  readonly #activity = new Map<SessionId, Activity>()
  readonly #due = new Map<SessionId, SessionCheckpoint | Session>()
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: CheckpointPolicyDeps) {
    this.#deps = deps
    deps.live.onEvent((session, event) => this.#count(session, event.type, event.time))
    deps.live.onRemoved(session => {
      this.#activity.delete(session.id)
      const checkpoint = deps.registry.checkpoint(session)
      if (checkpoint !== null) this.#schedule(session.id, checkpoint)
    })
  }

  /** Resolves when every checkpoint due so far was written, or given up. */
  async settle(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  #count(session: Session, type: string, time: number): void {
    const activity = this.#activity.get(session.id) ?? { events: 0, since: time }
    activity.events += 1
    this.#activity.set(session.id, activity)
    const isDue =
      type === 'turn/end' ||
      type === 'approval/asked' ||
      activity.events >= EVERY_EVENTS ||
      Math.abs(time - activity.since) >= EVERY_MS
    if (!isDue) return
    this.#activity.delete(session.id)
    this.#schedule(session.id, session)
  }

  #schedule(id: SessionId, due: SessionCheckpoint | Session): void {
    this.#due.set(id, due)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#writing = this.#writing.then(() => this.#write())
    }, GATHER_MS)
  }

  async #write(): Promise<void> {
    const { live, registry, checkpoints, onError } = this.#deps
    const taken = [...this.#due.values()].flatMap(due => {
      const checkpoint = 'rows' in due ? due : registry.checkpoint(due)
      return checkpoint === null ? [] : [checkpoint]
    })
    this.#due.clear()
    if (taken.length === 0) return
    try {
      await live.flush()
      await checkpoints.write(taken)
    } catch (error) {
      onError(error)
    }
  }
}
