import type { Frame } from '#shared/frames.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { LookedAt } from './looked-at.ts'
import { PendingSession, type ValueSource } from './pending-session.ts'

/** Sessions that one batch tells of; the others follow in the next, so that no batch holds up the main loop. */
const MOST_AT_ONCE = 50
/** Sessions that went before their last values were pushed: those are kept here. */
const MOST_GONE = { answering: 5000, stalled: 100 }
const MOST_STALLED = 10_000

/** What one window has still to hear, session by session, in the order in which it began to wait. */
export class PendingSessions {
  readonly #sessions = new Map<SessionId, PendingSession>()
  readonly #gone = new Set<SessionId>()

  get isEmpty(): boolean {
    return this.#sessions.size === 0
  }

  get(id: SessionId): PendingSession | undefined {
    return this.#sessions.get(id)
  }

  /** `header`: where it is known, by which it is told whether the window still looks at it. */
  of(id: SessionId, header: SessionHeader | null = null): PendingSession {
    const pending = this.#sessions.get(id) ?? new PendingSession(id)
    pending.header ??= header
    this.#sessions.set(id, pending)
    return pending
  }

  /** The session is about to go: what waits of its values is taken now. */
  hold(id: SessionId, source: ValueSource): void {
    if (this.#sessions.get(id)?.hold(source) === true) this.#gone.add(id)
  }

  drop(id: SessionId): void {
    this.#sessions.delete(id)
    this.#gone.delete(id)
  }

  /** Lets go of what is not looked at any more. */
  narrow(looked: LookedAt): void {
    for (const [id, { header }] of this.#sessions)
      if (header !== null && !looked.includes(header)) this.drop(id)
  }

  /** More waits than is kept for a window: for one that does not answer less than for one that does. */
  isTooMuch(isStalled: boolean): boolean {
    if (this.#gone.size > MOST_GONE[isStalled ? 'stalled' : 'answering']) return true
    return isStalled && this.#sessions.size > MOST_STALLED
  }

  clear(): void {
    this.#sessions.clear()
    this.#gone.clear()
  }

  /** The frames of those that wait longest. They wait no more. */
  take(source: ValueSource): Frame[] {
    const frames: Frame[] = []
    let room = MOST_AT_ONCE
    for (const [id, pending] of this.#sessions) {
      if (room === 0) break
      room -= 1
      this.drop(id)
      frames.push(...pending.take(source))
    }
    return frames
  }
}
