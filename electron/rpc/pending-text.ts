import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TextPiece } from '../agent/live-message.ts'

interface Growing extends Omit<TextPiece, 'text'> {
  readonly sessionId: SessionId
  text: string
}

/** Live text that one window has still to be shown: one growing piece per part of an open message. */
export class PendingText {
  #pieces: Growing[] = []
  /** Messages of which the window has text, and in which session. */
  readonly #shown = new Map<string, SessionId>()
  readonly #ended = new Map<string, SessionId>()

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#ended.size === 0
  }

  add(sessionId: SessionId, piece: TextPiece): void {
    const last = this.#pieces.findLast(
      one => one.messageId === piece.messageId && one.part === piece.part && one.sessionId === sessionId,
    )
    if (last !== undefined && last.offset + last.text.length === piece.offset) last.text += piece.text
    else this.#pieces.push({ sessionId, ...piece })
  }

  /** Everything that a session has of its open message takes the place of what waits. */
  restart(sessionId: SessionId, pieces: readonly TextPiece[]): void {
    this.#drop(one => one.sessionId === sessionId)
    for (const piece of pieces) this.#pieces.push({ sessionId, ...piece })
  }

  /** What waits of a session is let go; `restart` brings it back. */
  skip(sessionId: SessionId): void {
    this.#drop(one => one.sessionId === sessionId)
  }

  /** A window that was shown nothing of the message is told nothing of its end. */
  end(sessionId: SessionId, messageId: string): void {
    this.#drop(one => one.messageId === messageId && one.sessionId === sessionId)
    if (this.#shown.delete(messageId)) this.#ended.set(messageId, sessionId)
  }

  closed(sessionId: SessionId): void {
    this.skip(sessionId)
    for (const known of [this.#shown, this.#ended]) {
      for (const [messageId, of] of known) if (of === sessionId) known.delete(messageId)
    }
  }

  take(): Frame[] {
    const frames: Frame[] = [
      ...this.#pieces.map((piece): Frame => ({ kind: 'text', ...piece })),
      ...[...this.#ended].map(
        ([messageId, sessionId]): Frame => ({ kind: 'text-end', sessionId, messageId }),
      ),
    ]
    for (const { messageId, sessionId } of this.#pieces) this.#shown.set(messageId, sessionId)
    this.#pieces = []
    this.#ended.clear()
    return frames
  }

  #drop(matches: (piece: Growing) => boolean): void {
    this.#pieces = this.#pieces.filter(one => !matches(one))
  }
}
