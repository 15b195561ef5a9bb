import { type Frame, type FrameBatch, frameSchema, type Watch } from '#shared/frames.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TextPiece } from '../agent/live-message.ts'
import type { Rollup } from '../subagent/rollup.ts'
import { LookedAt } from './looked-at.ts'
import { PacedBatches } from './paced-batches.ts'
import type { PendingSession, StateFrame, ValueSource } from './pending-session.ts'
import { PendingSessions } from './pending-sessions.ts'
import { PendingText } from './pending-text.ts'

/** What a stream reads when it pushes. */
export interface StreamSource extends ValueSource {
  /** Text that a live message has so far, as pieces from its start. */
  livePieces(id: SessionId): readonly TextPiece[]
  liveHeaders(): readonly SessionHeader[]
  liveSession(id: SessionId): { readonly header: SessionHeader; readonly nextSeq: number } | undefined
  rollupOf(id: SessionId): Rollup
  /** Of every session below which something goes on, cold ones too. */
  rollups(): readonly { readonly header: SessionHeader; readonly rollup: Rollup }[]
  /** A frame that does not fit the contract is skipped, and said here. */
  onSkipped(problem: string): void
}

/**
 * What one window has still to hear (contracts §4). Bounded whatever the window does: values are read when they are
 * pushed, events collapse to "read again", text is dropped for a window that does not answer and sent anew when it
 * does; and when even that is too much, the stream ends: the window subscribes anew.
 */
export class WindowStream {
  readonly #source: StreamSource
  readonly #pace: PacedBatches
  #looked: LookedAt
  readonly #sessions = new PendingSessions()
  readonly #text = new PendingText()
  readonly #banners = new Map<string, Frame>()

  constructor(source: StreamSource, watch: Watch) {
    this.#source = source
    const isEmpty = () => this.#sessions.isEmpty && this.#text.isEmpty && this.#banners.size === 0
    this.#pace = new PacedBatches({ isEmpty, take: () => this.#take() })
    this.#looked = new LookedAt(watch)
    this.#show(this.#looked, null)
  }

  /** Aborted when the stream is over, for whatever reason. */
  get over(): AbortSignal {
    return this.#pace.over
  }

  /** Changes what the window looks at; what is new to it comes as a snapshot where it is live. */
  watch(watch: Watch): void {
    const before = this.#looked
    const now = new LookedAt(watch)
    this.#looked = now
    this.#sessions.narrow(now)
    for (const id of before.open) if (!now.open.has(id)) this.#closed(id)
    this.#show(now, before)
  }

  added(header: SessionHeader): void {
    if (!this.#looked.includes(header)) return
    this.#state({ kind: 'added', header }, header)
    // From the start: a resumed session knows more than its listing did, and its log may have been closed.
    this.#appear(header)
    if (this.#looked.open.has(header.id)) this.#opened(header.id)
  }

  rollup(header: SessionHeader, rollup: Rollup): void {
    if (this.#looked.includes(header))
      this.#state({ kind: 'rollup', sessionId: header.id, ...rollup }, header)
  }

  /** What happened to a session that did not come alive. */
  listed(frame: Extract<StateFrame, { kind: 'added' | 'removed' | 'archived' }>): void {
    // Behind what waits of sessions below it: they go with it.
    if (frame.kind === 'removed') this.#sessions.drop(frame.sessionId)
    if (frame.kind !== 'added') this.#state(frame)
    else if (this.#looked.includes(frame.header)) this.#state(frame, frame.header)
  }

  banner(frame: Extract<Frame, { kind: 'banner' }>): void {
    this.#banners.set(frame.id, frame)
    this.#stir()
  }

  /** All values of an open session that nobody hosts. */
  cold(id: SessionId, snapshot: Parameters<PendingSession['cold']>[0]): void {
    if (!this.#looked.open.has(id)) return
    this.#sessions.of(id).cold(snapshot)
    this.#stir()
  }

  changed(header: SessionHeader, key: string, seq: number): void {
    if (!this.#looked.includes(header)) return
    this.#sessions.of(header.id, header).changed(key, seq)
    this.#stir()
  }

  event(id: SessionId, event: StoredEvent): void {
    if (!this.#looked.open.has(id)) return
    this.#sessions.of(id).event(event, !this.#pace.isStalled)
    this.#stir()
  }

  text(id: SessionId, piece: TextPiece): void {
    if (!this.#looked.open.has(id)) return
    // A window that does not answer gets the whole text of the message again when it does.
    if (this.#pace.isStalled) this.#text.skip(id)
    else this.#text.add(id, piece)
    this.#stir()
  }

  textEnd(id: SessionId, messageId: string): void {
    this.#text.end(id, messageId)
    this.#stir()
  }

  /** The session is about to go. */
  leaves(header: SessionHeader): void {
    if (!this.#looked.includes(header)) return
    this.#sessions.hold(header.id, this.#source)
    this.#state({ kind: 'activity', sessionId: header.id, activity: 'inactive' }, header)
  }

  acknowledge(batch: number): void {
    const wasStalled = this.#pace.isStalled
    if (!this.#pace.acknowledge(batch) || !wasStalled) return
    for (const id of this.#looked.open) this.#text.restart(id, this.#source.livePieces(id))
    this.#stir()
  }

  /** Nothing is kept for the window from now on. Idempotent. */
  end(): void {
    this.#sessions.clear()
    this.#pace.end()
  }

  /** Batches, each after the one before was acknowledged, at most one per 16 ms. Ends with the stream. */
  batches(): AsyncGenerator<FrameBatch> {
    return this.#pace.batches()
  }

  #show(now: LookedAt, before: LookedAt | null): void {
    const isNew = (header: SessionHeader) => now.includes(header) && before?.includes(header) !== true
    for (const header of this.#source.liveHeaders()) if (isNew(header)) this.#appear(header)
    for (const { header, rollup } of this.#source.rollups()) if (isNew(header)) this.rollup(header, rollup)
    for (const id of now.open) if (before?.open.has(id) !== true) this.#opened(id)
    this.#stir()
  }

  #state(frame: StateFrame, header?: SessionHeader): void {
    this.#sessions.of(frame.kind === 'added' ? frame.header.id : frame.sessionId, header).state(frame)
    this.#stir()
  }

  #appear(header: SessionHeader): void {
    const sessionId = header.id
    this.#sessions.of(sessionId, header).whole()
    this.#state({ kind: 'activity', sessionId, activity: 'running' })
    this.#state({ kind: 'rollup', sessionId, ...this.#source.rollupOf(sessionId) })
  }

  #opened(id: SessionId): void {
    const live = this.#source.liveSession(id)
    if (live === undefined) return
    // A page may have been read before this stood: then it is read again up to here.
    this.#sessions.of(id, live.header).behind(live.nextSeq)
    this.#text.restart(id, this.#source.livePieces(id))
  }

  #closed(id: SessionId): void {
    this.#sessions.get(id)?.closed()
    this.#text.closed(id)
  }

  /** Events before text: the finished message is there before its live text goes. */
  #take(): Frame[] {
    const frames = [...this.#banners.values(), ...this.#sessions.take(this.#source), ...this.#text.take()]
    this.#banners.clear()
    return frames.filter(frame => this.#isSound(frame))
  }

  #isSound(frame: Frame): boolean {
    const { error } = frameSchema.safeParse(frame)
    if (error !== undefined) this.#source.onSkipped(`a ${frame.kind} frame was not sent: ${error.message}`)
    return error === undefined
  }

  #stir(): void {
    if (this.#sessions.isTooMuch(this.#pace.isStalled)) this.end()
    else this.#pace.stir()
  }
}
