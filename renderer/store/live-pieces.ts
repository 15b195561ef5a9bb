import type { Frame } from '#shared/frames.ts'
import type { StoredEvent } from '#shared/session/events.ts'

/** Text of a message that is still being written. Never authoritative: its event replaces it. */
export interface LivePiece {
  readonly messageId: string
  readonly text: string
  readonly reasoning: string
}

/** More of it. What is there already is written again in its place. */
export function withText(
  pieces: ReadonlyMap<string, LivePiece>,
  frame: Extract<Frame, { kind: 'text' }>,
): ReadonlyMap<string, LivePiece> {
  const { messageId, part, offset, text } = frame
  const piece = pieces.get(messageId) ?? { messageId, text: '', reasoning: '' }
  const key = part === 'text' ? 'text' : 'reasoning'
  // A hole cannot be filled and is not worth a question: the finished message follows.
  if (offset > piece[key].length) return pieces
  return new Map(pieces).set(messageId, { ...piece, [key]: piece[key].slice(0, offset) + text })
}

/** Its event is here, or it came to nothing. */
export function withoutPiece(pieces: ReadonlyMap<string, LivePiece>, messageId: string | null) {
  if (messageId === null || !pieces.has(messageId)) return pieces
  return new Map([...pieces].filter(([id]) => id !== messageId))
}

/** Id of the message that this event is the finished form of. */
export function finishedMessage(event: StoredEvent): string | null {
  if (event.type !== 'assistant/message') return null
  const id = (event.data as { readonly id?: unknown } | null)?.id
  return typeof id === 'string' ? id : null
}
