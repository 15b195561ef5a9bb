import type { SessionId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import { mapInSlices } from '../slices.ts'
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

/** `checkpoint` null: taken when it is written. A session that went left its last one. */
interface Due {
  readonly session: Session
  readonly checkpoint: SessionCheckpoint | null
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
  readonly #due = new Map<SessionId, Due>()
  /** How far the stored checkpoint of a session reaches: the seq that comes next. */
  readonly #written = new WeakMap<Session, number>()
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: CheckpointPolicyDeps) {
    this.#deps = deps
    deps.live.onEvent((session, event) => this.#count(session, event.type, event.time))
    // While it is live, so that nobody reads from the store what was before.
    deps.live.beforeRemoval(async session => {
      if (this.#isWritten(session)) return
      this.#schedule({ session, checkpoint: null })
      await this.settle()
    })
    deps.live.onRemoved(session => {
      this.#activity.delete(session.id)
      const checkpoint = this.#isWritten(session) ? null : deps.registry.checkpoint(session)
      if (checkpoint !== null) this.#schedule({ session, checkpoint })
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
    this.#schedule({ session, checkpoint: null })
  }

  #schedule(due: Due): void {
    this.#due.set(due.session.id, due)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#writing = this.#writing.then(() => this.#write())
    }, GATHER_MS)
  }

  #isWritten(session: Session): boolean {
    return this.#written.get(session) === session.nextSeq
  }

  async #write(): Promise<void> {
    const { live, registry, checkpoints, onError } = this.#deps
    const due = [...this.#due.values()]
    this.#due.clear()
    // Each is a cut of its own session: the loop may run on between two of them.
    const candidates = await mapInSlices(due, ({ session, checkpoint }) => ({
      session,
      checkpoint: checkpoint ?? registry.checkpoint(session),
    }))
    const taken = candidates.filter(isTaken)
    if (taken.length === 0) return
    try {
      await live.flush()
      // What was never saved, since the log belongs to another writer by now, says nothing about that log.
      const covered = taken.filter(isCovered)
      if (covered.length === 0) return
      await checkpoints.write(covered.map(({ checkpoint }) => checkpoint))
      for (const { session, checkpoint } of covered) this.#written.set(session, endOf(checkpoint))
    } catch (error) {
      onError(error)
    }
  }
}

interface Taken {
  readonly session: Session
  readonly checkpoint: SessionCheckpoint
}

/** A session that went meanwhile has left its last checkpoint by itself. */
function isTaken(candidate: Due): candidate is Taken {
  return candidate.checkpoint !== null
}

function isCovered({ session, checkpoint }: Taken): boolean {
  return checkpoint.rows.every(({ seq }) => seq < session.savedSeq)
}

/** The seq that comes after what every row holds. */
function endOf({ rows }: SessionCheckpoint): number {
  return Math.min(...rows.map(({ seq }) => seq)) + 1
}
