import { type Frame, type FrameBatch, frameSchema, type Watch } from '#shared/frames.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TextPiece } from '../agent/live-message.ts'
import type { Rollup } from '../subagent/rollup.ts'
import { LookedAt } from './looked-at.ts'
import { PacedBatches } from './paced-batches.ts'
import { PendingSession, type StateFrame, type ValueSource } from './pending-session.ts'
import { PendingText } from './pending-text.ts'

/** Sessions that one batch tells of; the others follow in the next, so that no batch holds up the main loop. */
const MOST_SESSIONS = 50
/** Sessions that went before their last values were pushed. More of them, or more sessions at all, end the stream. */
const MOST_GONE = { answering: 5000, stalled: 100 }
const MOST_WAITING_STALLED = 10_000

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
  readonly #sessions = new Map<SessionId, PendingSession>()
  readonly #text = new PendingText()
  readonly #banners = new Map<string, Frame>()
  readonly #gone = new Set<SessionId>()

  constructor(source: StreamSource, watch: Watch) {
    this.#source = source
    const isEmpty = () => this.#sessions.size === 0 && this.#text.isEmpty && this.#banners.size === 0
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
    for (const [id, { header }] of this.#sessions) {
      if (header !== null && !now.includes(header)) this.#drop(id)
    }
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
    if (frame.kind === 'removed') this.#drop(frame.sessionId)
    if (frame.kind !== 'added') this.#state(frame)
    else if (this.#looked.includes(frame.header)) this.#state(frame, frame.header)
  }

  banner(frame: Extract<Frame, { kind: 'banner' }>): void {
    this.#banners.set(frame.id, frame)
    this.#pace.stir()
  }

  /** All values of an open session that nobody hosts. */
  cold(id: SessionId, snapshot: Parameters<PendingSession['cold']>[0]): void {
    if (!this.#looked.open.has(id)) return
    this.#pending(id).cold(snapshot)
    this.#pace.stir()
  }

  changed(header: SessionHeader, key: string, seq: number): void {
    if (!this.#looked.includes(header)) return
    this.#pending(header.id, header).changed(key, seq)
    this.#pace.stir()
  }

  event(id: SessionId, event: StoredEvent): void {
    if (!this.#looked.open.has(id)) return
    this.#pending(id).event(event, !this.#pace.isStalled)
    this.#pace.stir()
  }

  text(id: SessionId, piece: TextPiece): void {
    if (!this.#looked.open.has(id)) return
    // A window that does not answer gets the whole text of the message again when it does.
    if (this.#pace.isStalled) this.#text.skip(id)
    else this.#text.add(id, piece)
    this.#pace.stir()
  }

  textEnd(id: SessionId, messageId: string): void {
    this.#text.end(id, messageId)
    this.#pace.stir()
  }

  /** The session is about to go. */
  leaves(header: SessionHeader): void {
    if (!this.#looked.includes(header)) return
    if (this.#sessions.get(header.id)?.hold(this.#source) === true) this.#gone.add(header.id)
    this.#state({ kind: 'activity', sessionId: header.id, activity: 'inactive' }, header)
    if (this.#gone.size > MOST_GONE[this.#pace.isStalled ? 'stalled' : 'answering']) this.end()
  }

  acknowledge(batch: number): void {
    const wasStalled = this.#pace.isStalled
    if (!this.#pace.acknowledge(batch) || !wasStalled) return
    for (const id of this.#looked.open) this.#text.restart(id, this.#source.livePieces(id))
    this.#pace.stir()
  }

  /** Nothing is kept for the window from now on. Idempotent. */
  end(): void {
    this.#sessions.clear()
    this.#gone.clear()
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
    this.#pace.stir()
  }

  #state(frame: StateFrame, header?: SessionHeader): void {
    this.#pending(frame.kind === 'added' ? frame.header.id : frame.sessionId, header).state(frame)
    this.#pace.stir()
  }

  #appear(header: SessionHeader): void {
    const sessionId = header.id
    this.#pending(sessionId, header).whole()
    this.#state({ kind: 'activity', sessionId, activity: 'running' })
    this.#state({ kind: 'rollup', sessionId, ...this.#source.rollupOf(sessionId) })
  }

  #opened(id: SessionId): void {
    const live = this.#source.liveSession(id)
    if (live === undefined) return
    // A page may have been read before this stood: then it is read again up to here.
    this.#pending(id, live.header).behind(live.nextSeq)
    this.#text.restart(id, this.#source.livePieces(id))
  }

  #drop(id: SessionId): void {
    this.#sessions.delete(id)
    this.#gone.delete(id)
  }

  #closed(id: SessionId): void {
    this.#sessions.get(id)?.closed()
    this.#text.closed(id)
  }

  #pending(id: SessionId, header: SessionHeader | null = null): PendingSession {
    const pending = this.#sessions.get(id) ?? new PendingSession(id)
    pending.header ??= header
    if (this.over.aborted || this.#sessions.has(id)) return pending
    if (this.#sessions.size >= MOST_WAITING_STALLED && this.#pace.isStalled) this.end()
    else this.#sessions.set(id, pending)
    return pending
  }

  /** Events before text: the finished message is there before its live text goes. */
  #take(): Frame[] {
    const frames: Frame[] = [...this.#banners.values()]
    this.#banners.clear()
    let room = MOST_SESSIONS
    for (const [id, pending] of this.#sessions) {
      if (room === 0) break
      room -= 1
      this.#drop(id)
      frames.push(...pending.take(this.#source))
    }
    frames.push(...this.#text.take())
    return frames.filter(frame => this.#isSound(frame))
  }

  #isSound(frame: Frame): boolean {
    const { error } = frameSchema.safeParse(frame)
    if (error !== undefined) this.#source.onSkipped(`a ${frame.kind} frame was not sent: ${error.message}`)
    return error === undefined
  }
}
