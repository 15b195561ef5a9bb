import type { Frame, FrameBatch, Watch } from '#shared/frames.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import { wireEvents } from '#shared/session/wire-events.ts'
import type { TextPiece } from '../agent/live-message.ts'

const PUSH_EVERY_MS = 16
/** Events that wait for one window and session; past that it reads the pages it missed. */
const MAX_PENDING_EVENTS = 1000

/** What a stream reads when it pushes: values are taken then, not when they changed. */
export interface StreamSource {
  valueOf(id: SessionId, key: string): Json | undefined
  snapshot(
    id: SessionId,
  ): { readonly asOfSeq: number; readonly values: Readonly<Record<string, Json>> } | null
  /** Text that a live message has so far, as pieces from its start. */
  livePieces(id: SessionId): readonly TextPiece[]
  liveHeaders(): readonly SessionHeader[]
}

interface PendingSession {
  snapshot: boolean
  /** Latest event that touched each key. */
  keys: Map<string, number>
  /** Values of a session that went before they were pushed. */
  final: Map<string, Json>
  events: StoredEvent[]
  behindFrom: number | null
}

interface PendingText {
  readonly sessionId: SessionId
  readonly messageId: string
  readonly part: 'text' | 'reasoning'
  readonly offset: number
  text: string
}

/**
 * What one window has still to hear. Bounded whatever the window does: projections coalesce to the latest value
 * per session and key, events collapse to "read again", text is dropped for a window that does not answer and
 * sent anew when it does (contracts §4).
 */
export class WindowStream {
  readonly #source: StreamSource
  #watch: Watch
  #open: ReadonlySet<SessionId> = new Set()
  #listed: ReadonlySet<SessionId> = new Set()
  readonly #sessions = new Map<SessionId, PendingSession>()
  #texts: PendingText[] = []
  /** Frames where only the last of its kind counts, by kind and id. */
  readonly #latest = new Map<string, Frame>()
  #acknowledged = 0
  #sent = 0
  #sentAt = 0
  #wake: (() => void) | null = null

  constructor(source: StreamSource, watch: Watch) {
    this.#source = source
    this.#watch = { open: [], listed: [] }
    this.watch(watch)
  }

  /** Changes what the window looks at; what is new to it comes as a snapshot where it is live. */
  watch(watch: Watch): void {
    const before = this.#watch
    const isFirst = this.#sent === 0 && before.open.length === 0 && before.listed.length === 0
    const wasOpen = this.#open
    const wasSeen = (header: SessionHeader) => !isFirst && this.isSeen(header)
    const seenBefore = new Set(
      this.#source
        .liveHeaders()
        .filter(wasSeen)
        .map(({ id }) => id),
    )
    this.#watch = watch
    this.#open = new Set(watch.open)
    this.#listed = new Set(watch.listed)
    for (const header of this.#source.liveHeaders()) {
      if (this.isSeen(header) && !seenBefore.has(header.id)) this.#pending(header.id).snapshot = true
    }
    for (const id of this.#open) if (!wasOpen.has(id)) this.#addLiveText(id)
    this.#stir()
  }

  /** Roots always, children of listed parents, and what is open. */
  isSeen({ id, origin, parentSession }: SessionHeader): boolean {
    if (origin === undefined || this.#open.has(id)) return true
    return parentSession !== undefined && this.#listed.has(parentSession)
  }

  /** All values of a session, as it stands when they are pushed. */
  watchAgain(id: SessionId): void {
    this.#latest.delete(`cold ${id}`)
    this.#pending(id).snapshot = true
    this.#stir()
  }

  /** All values of an open session that nobody hosts. */
  cold(sessionId: SessionId, asOfSeq: number, values: Readonly<Record<string, Json>>): void {
    if (!this.#open.has(sessionId)) return
    this.latest(`cold ${sessionId}`, { kind: 'snapshot', sessionId, asOfSeq, values: { ...values } })
  }

  changed(header: SessionHeader, key: string, seq: number): void {
    if (!this.isSeen(header)) return
    this.#pending(header.id).keys.set(key, seq)
    this.#stir()
  }

  event(id: SessionId, event: StoredEvent): void {
    if (!this.#open.has(id)) return
    const pending = this.#pending(id)
    if (pending.behindFrom !== null) return
    if (pending.events.length < MAX_PENDING_EVENTS) pending.events.push(event)
    else {
      pending.behindFrom = pending.events[0]?.seq ?? event.seq
      pending.events = []
    }
    this.#stir()
  }

  text(sessionId: SessionId, piece: TextPiece): void {
    if (!this.#open.has(sessionId)) return
    // A window that does not answer gets the whole text of the message again when it does.
    if (this.#isStalled()) {
      this.#texts = this.#texts.filter(one => one.messageId !== piece.messageId)
      return
    }
    const last = this.#texts.findLast(one => one.messageId === piece.messageId && one.part === piece.part)
    if (last !== undefined && last.offset + last.text.length === piece.offset) last.text += piece.text
    else this.#texts.push({ sessionId, ...piece })
    this.#stir()
  }

  textEnd(sessionId: SessionId, messageId: string): void {
    if (!this.#open.has(sessionId)) return
    this.#texts = this.#texts.filter(one => one.messageId !== messageId)
    this.latest(`text-end ${messageId}`, { kind: 'text-end', sessionId, messageId })
  }

  /** A frame of which only the last counts. */
  latest(slot: string, frame: Frame): void {
    this.#latest.delete(slot)
    this.#latest.set(slot, frame)
    this.#stir()
  }

  /** The session is about to go: values not pushed yet are taken now. */
  removed(id: SessionId): void {
    const pending = this.#sessions.get(id)
    if (pending === undefined) return
    const snapshot = pending.snapshot ? this.#source.snapshot(id) : null
    if (snapshot !== null) {
      for (const key of Object.keys(snapshot.values)) pending.keys.set(key, snapshot.asOfSeq)
      pending.snapshot = false
    }
    for (const key of pending.keys.keys()) pending.final.set(key, this.#source.valueOf(id, key) ?? null)
  }

  acknowledge(batch: number): void {
    if (batch !== this.#sent || this.#acknowledged === batch) return
    const wasStalled = this.#isStalled()
    this.#acknowledged = batch
    if (wasStalled) for (const id of this.#open) this.#addLiveText(id)
    this.#stir()
  }

  /** Batches, each after the one before was acknowledged, at most one per 16 ms. Ends with `signal`. */
  async *batches(signal: AbortSignal): AsyncGenerator<FrameBatch> {
    const onAbort = () => this.#stir()
    signal.addEventListener('abort', onAbort)
    try {
      let pushedAt = Number.NEGATIVE_INFINITY
      for (;;) {
        await this.#until(() => signal.aborted || (this.#acknowledged === this.#sent && this.#hasPending()))
        if (signal.aborted) return
        const early = PUSH_EVERY_MS - (performance.now() - pushedAt)
        if (early > 0) await new Promise(resolve => setTimeout(resolve, early))
        if (signal.aborted) return
        const frames = this.#take()
        if (frames.length === 0) continue
        pushedAt = performance.now()
        this.#sent += 1
        this.#sentAt = pushedAt
        yield { batch: this.#sent, frames }
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** A batch has been out for a second without an answer. */
  #isStalled(): boolean {
    return this.#acknowledged !== this.#sent && performance.now() - this.#sentAt > 1000
  }

  #pending(id: SessionId): PendingSession {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const fresh: PendingSession = {
      snapshot: false,
      keys: new Map(),
      final: new Map(),
      events: [],
      behindFrom: null,
    }
    this.#sessions.set(id, fresh)
    return fresh
  }

  #addLiveText(sessionId: SessionId): void {
    const pieces = this.#source.livePieces(sessionId)
    const ids = new Set(pieces.map(({ messageId }) => messageId))
    this.#texts = this.#texts.filter(one => !ids.has(one.messageId))
    this.#texts.push(...pieces.map(piece => ({ sessionId, ...piece })))
  }

  #hasPending(): boolean {
    return this.#sessions.size > 0 || this.#texts.length > 0 || this.#latest.size > 0
  }

  /** Events before text: the finished message is there before its live text goes. */
  #take(): Frame[] {
    const frames: Frame[] = []
    for (const [sessionId, pending] of this.#sessions) frames.push(...this.#framesOf(sessionId, pending))
    frames.push(...this.#texts.map((text): Frame => ({ kind: 'text', ...text })))
    frames.push(...this.#latest.values())
    this.#sessions.clear()
    this.#texts = []
    this.#latest.clear()
    return frames
  }

  *#framesOf(sessionId: SessionId, pending: PendingSession): Generator<Frame> {
    const snapshot = pending.snapshot ? this.#source.snapshot(sessionId) : null
    if (snapshot !== null) {
      yield { kind: 'snapshot', sessionId, asOfSeq: snapshot.asOfSeq, values: { ...snapshot.values } }
    } else {
      for (const [key, seq] of pending.keys) {
        const value = pending.final.get(key) ?? this.#source.valueOf(sessionId, key)
        if (value !== undefined) yield { kind: 'projection', sessionId, key, value, seq }
      }
    }
    if (pending.behindFrom !== null) yield { kind: 'behind', sessionId, fromSeq: pending.behindFrom }
    else if (pending.events.length > 0)
      yield { kind: 'events', sessionId, events: wireEvents(pending.events) }
  }

  #stir(): void {
    this.#wake?.()
    this.#wake = null
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => (this.#wake = resolve))
  }
}
