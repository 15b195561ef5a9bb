import { type Frame, type FrameBatch, frameSchema, type Watch } from '#shared/frames.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TextPiece } from '../agent/live-message.ts'
import type { Rollup } from '../subagent/rollup.ts'
import { PendingSession, type StateFrame, type ValueSource } from './pending-session.ts'
import { PendingText } from './pending-text.ts'

const PUSH_EVERY_MS = 16
const STALLED_AFTER_MS = 1000
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
  /** Seq after the last event of a live session. */
  endSeqOf(id: SessionId): number | undefined
  rollups(): readonly { readonly header: SessionHeader; readonly rollup: Rollup }[]
  /** A frame that does not fit the contract is skipped, and said here. */
  onSkipped(problem: string): void
}

/**
 * What one window has still to hear, and when it hears it (contracts §4). Bounded whatever the window does: values
 * are read when they are pushed, events collapse to "read again", text is dropped for a window that does not answer
 * and sent anew when it does; and when even that is too much, the stream ends: the window subscribes anew.
 */
export class WindowStream {
  readonly #source: StreamSource
  readonly #over = new AbortController()
  #open: ReadonlySet<SessionId> = new Set()
  #listed: ReadonlySet<SessionId> = new Set()
  readonly #sessions = new Map<SessionId, PendingSession>()
  readonly #text = new PendingText()
  readonly #banners = new Map<string, Frame>()
  readonly #gone = new Set<SessionId>()
  #acknowledged = 0
  #sent = 0
  #sentAt = Number.NEGATIVE_INFINITY
  #wake: (() => void) | null = null

  constructor(source: StreamSource, watch: Watch) {
    this.#source = source
    for (const header of source.liveHeaders()) if (header.origin === undefined) this.#appear(header.id)
    for (const { header, rollup } of source.rollups()) {
      if (header.origin === undefined) this.state({ kind: 'rollup', sessionId: header.id, ...rollup })
    }
    this.watch(watch)
  }

  /** Aborted when the stream is over, for whatever reason. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Entries that wait: for tests and benchmarks, which show that it is bounded. */
  get waiting(): number {
    return this.#sessions.size
  }

  /** Changes what the window looks at; what is new to it comes as a snapshot where it is live. */
  watch(watch: Watch): void {
    const [wasOpen, wasListed] = [this.#open, this.#listed]
    this.#open = new Set(watch.open)
    this.#listed = new Set(watch.listed)
    const isNew = (header: SessionHeader) =>
      this.isSeen(header) && !isSeenBy(header, { open: wasOpen, listed: wasListed })
    for (const header of this.#source.liveHeaders()) {
      if (isNew(header)) this.#appear(header.id)
      else if (!this.isSeen(header)) this.#sessions.delete(header.id)
    }
    for (const { header, rollup } of this.#source.rollups()) {
      if (isNew(header)) this.state({ kind: 'rollup', sessionId: header.id, ...rollup })
    }
    for (const id of wasOpen) if (!this.#open.has(id)) this.#closed(id)
    for (const id of this.#open) if (!wasOpen.has(id)) this.#opened(id)
    this.#stir()
  }

  /** Roots always, children of listed parents, and what is open. */
  isSeen(header: SessionHeader): boolean {
    return isSeenBy(header, { open: this.#open, listed: this.#listed })
  }

  added(header: SessionHeader): void {
    if (!this.isSeen(header)) return
    this.state({ kind: 'added', header })
    // From the start: a resumed session knows more than its listing did, and its log may have been closed.
    this.#appear(header.id)
    if (this.#open.has(header.id)) this.#opened(header.id)
  }

  state(frame: StateFrame): void {
    this.#pending(frame.kind === 'added' ? frame.header.id : frame.sessionId).state(frame)
    this.#stir()
  }

  banner(frame: Extract<Frame, { kind: 'banner' }>): void {
    this.#banners.set(frame.id, frame)
    this.#stir()
  }

  /** All values of an open session that nobody hosts. */
  cold(id: SessionId, snapshot: Parameters<PendingSession['cold']>[0]): void {
    if (!this.#open.has(id)) return
    this.#pending(id).cold(snapshot)
    this.#stir()
  }

  changed(header: SessionHeader, key: string, seq: number): void {
    if (!this.isSeen(header)) return
    this.#pending(header.id).changed(key, seq)
    this.#stir()
  }

  event(id: SessionId, event: StoredEvent): void {
    if (!this.#open.has(id)) return
    this.#pending(id).event(event, !this.#isStalled())
    this.#stir()
  }

  text(id: SessionId, piece: TextPiece): void {
    if (!this.#open.has(id)) return
    // A window that does not answer gets the whole text of the message again when it does.
    if (this.#isStalled()) this.#text.skip(id)
    else this.#text.add(id, piece)
    this.#stir()
  }

  textEnd(id: SessionId, messageId: string): void {
    this.#text.end(id, messageId)
    this.#stir()
  }

  /** The session is about to go. */
  leaves(header: SessionHeader): void {
    if (!this.isSeen(header)) return
    if (this.#sessions.get(header.id)?.hold(this.#source) === true) this.#gone.add(header.id)
    this.state({ kind: 'activity', sessionId: header.id, activity: 'inactive' })
    if (this.#gone.size > MOST_GONE[this.#isStalled() ? 'stalled' : 'answering']) this.end()
  }

  /** Only the answer to the batch that is out counts. */
  acknowledge(batch: number): void {
    if (batch !== this.#sent || this.#acknowledged === batch) return
    if (this.#isStalled()) for (const id of this.#open) this.#text.restart(id, this.#source.livePieces(id))
    this.#acknowledged = batch
    this.#stir()
  }

  /** Nothing is kept for the window from now on. Idempotent. */
  end(): void {
    this.#over.abort()
    this.#sessions.clear()
    this.#gone.clear()
    this.#stir()
  }

  /** Batches, each after the one before was acknowledged, at most one per 16 ms. Ends with the stream. */
  async *batches(): AsyncGenerator<FrameBatch> {
    while (!this.over.aborted) {
      const early = this.#sentAt + PUSH_EVERY_MS - performance.now()
      if (early > 0) await new Promise(resolve => setTimeout(resolve, Math.ceil(early)))
      else if (this.#acknowledged !== this.#sent || !this.#hasPending()) await this.#stirred()
      else {
        const frames = this.#take()
        if (frames.length === 0) continue
        this.#sent += 1
        this.#sentAt = performance.now()
        yield { batch: this.#sent, frames }
      }
    }
  }

  /** A batch has been out for a second without an answer. */
  #isStalled(): boolean {
    return this.#acknowledged !== this.#sent && performance.now() - this.#sentAt > STALLED_AFTER_MS
  }

  #appear(id: SessionId): void {
    this.#pending(id).whole()
    this.state({ kind: 'activity', sessionId: id, activity: 'running' })
  }

  #opened(id: SessionId): void {
    const endSeq = this.#source.endSeqOf(id)
    if (endSeq === undefined) return
    // A page may have been read before this stood: then it is read again up to here.
    this.#pending(id).behind(endSeq)
    this.#text.restart(id, this.#source.livePieces(id))
  }

  #closed(id: SessionId): void {
    this.#sessions.get(id)?.closed()
    this.#text.closed(id)
  }

  #pending(id: SessionId): PendingSession {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const fresh = new PendingSession(id)
    if (this.over.aborted) return fresh
    if (this.#sessions.size >= MOST_WAITING_STALLED && this.#isStalled()) this.end()
    else this.#sessions.set(id, fresh)
    return fresh
  }

  #hasPending(): boolean {
    return this.#sessions.size > 0 || !this.#text.isEmpty || this.#banners.size > 0
  }

  /** Events before text: the finished message is there before its live text goes. */
  #take(): Frame[] {
    const frames: Frame[] = [...this.#banners.values()]
    this.#banners.clear()
    let room = MOST_SESSIONS
    for (const [id, pending] of this.#sessions) {
      if (room === 0) break
      room -= 1
      this.#sessions.delete(id)
      this.#gone.delete(id)
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

  #stir(): void {
    this.#wake?.()
    this.#wake = null
  }

  #stirred(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}

interface Looked {
  readonly open: ReadonlySet<SessionId>
  readonly listed: ReadonlySet<SessionId>
}

function isSeenBy({ id, origin, parentSession }: SessionHeader, { open, listed }: Looked): boolean {
  if (origin === undefined || open.has(id)) return true
  return parentSession !== undefined && listed.has(parentSession)
}
