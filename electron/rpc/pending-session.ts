import type { Frame } from '#shared/frames.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { wireEvents } from '#shared/session/wire-events.ts'

/** Events that wait for one window and session. A window that missed more reads a page, which is as many. */
const MOST_EVENTS = 200

/** Where values are read, when they are pushed and not when they changed. */
export interface ValueSource {
  valueOf(id: SessionId, key: string): Json | undefined
  snapshot(id: SessionId): Pick<FoldSnapshot, 'asOfSeq' | 'values'> | null
}

/** Of these only the last counts. */
export type StateFrame = Extract<Frame, { kind: 'added' | 'removed' | 'archived' | 'activity' | 'rollup' }>

/**
 * What one window has still to hear of one session: the last state of each kind, of projections which keys changed,
 * and a bounded number of events.
 */
export class PendingSession {
  /** `null` where only its id is known. */
  header: SessionHeader | null = null
  readonly #id: SessionId
  readonly #states = new Map<string, StateFrame>()
  /** The event that last changed each key. */
  readonly #keys = new Map<string, number>()
  #isWhole = false
  /** Values taken before they are pushed: nobody hosts the session then. */
  #held: readonly Frame[] = []
  #behind: { readonly fromSeq: number; readonly endSeq: number } | null = null
  #events: StoredEvent[] = []

  constructor(id: SessionId) {
    this.#id = id
  }

  state(frame: StateFrame): void {
    const slot = frame.kind === 'removed' ? 'added' : frame.kind
    this.#states.delete(slot)
    this.#states.set(slot, frame)
  }

  changed(key: string, seq: number): void {
    this.#keys.set(key, seq)
  }

  /** All values, as they are when they are pushed. */
  whole(): void {
    this.#isWhole = true
  }

  /** All values of a session that nobody hosts. */
  cold({ asOfSeq, values }: Pick<FoldSnapshot, 'asOfSeq' | 'values'>): void {
    this.#held = [snapshotFrame(this.#id, asOfSeq, values)]
  }

  /** The session is about to go: values not pushed yet are taken now. @returns whether there are any. */
  hold(source: ValueSource): boolean {
    this.#held = this.#valueFrames(source)
    this.#isWhole = false
    this.#keys.clear()
    return this.#held.length > 0
  }

  event(event: StoredEvent, mayWait: boolean): void {
    if (mayWait && this.#events.length < MOST_EVENTS) this.#events.push(event)
    else this.behind(event.seq + 1, this.#events[0]?.seq ?? event.seq)
  }

  /** The window reads again what is below `endSeq`. */
  behind(endSeq: number, fromSeq = endSeq): void {
    this.#behind = { fromSeq: this.#behind?.fromSeq ?? fromSeq, endSeq }
    this.#events = []
  }

  closed(): void {
    this.#behind = null
    this.#events = []
  }

  take(source: ValueSource): Frame[] {
    const frames: Frame[] = [...this.#states.values(), ...this.#valueFrames(source)]
    if (this.#behind !== null) frames.push({ kind: 'behind', sessionId: this.#id, ...this.#behind })
    if (this.#events.length > 0)
      frames.push({ kind: 'events', sessionId: this.#id, events: wireEvents(this.#events) })
    return frames
  }

  #valueFrames(source: ValueSource): readonly Frame[] {
    const snapshot = this.#isWhole ? source.snapshot(this.#id) : null
    if (snapshot !== null) return [snapshotFrame(this.#id, snapshot.asOfSeq, snapshot.values)]
    const frames = [...this.#held]
    for (const [key, seq] of this.#keys) {
      const value = source.valueOf(this.#id, key)
      if (value !== undefined) frames.push({ kind: 'projection', sessionId: this.#id, key, value, seq })
    }
    return frames
  }
}

function snapshotFrame(sessionId: SessionId, asOfSeq: number, values: FoldSnapshot['values']): Frame {
  return { kind: 'snapshot', sessionId, asOfSeq, values: { ...values } }
}
