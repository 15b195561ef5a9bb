import type { Draft } from '#shared/session/closers.ts'
import type { AssistantContent } from '#shared/session/content.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import type { Json, JsonObject } from '#shared/session/json.ts'

/** A piece of streamed text. `offset` is in UTF-16 units within that part of the message. */
export interface TextPiece {
  readonly messageId: string
  readonly part: 'text' | 'reasoning'
  readonly offset: number
  readonly text: string
}

type ProviderMetadata = Readonly<Record<string, unknown>> | undefined

function asField(metadata: ProviderMetadata) {
  return metadata === undefined
    ? {}
    : { providerMetadata: JSON.parse(JSON.stringify(metadata)) as JsonObject }
}

/** The message that a model is writing now. Live-only: the log gets it when it is finished, or its prefix. */
export class LiveMessage {
  readonly id: string
  readonly #at: { readonly turn: number; readonly step: number; readonly model: ModelRoute }
  readonly #onPiece: (piece: TextPiece) => void
  readonly #blocks: AssistantContent = []
  #lengths = { text: 0, reasoning: 0 }

  constructor(
    id: string,
    at: { readonly turn: number; readonly step: number; readonly model: ModelRoute },
    onPiece: (piece: TextPiece) => void,
  ) {
    this.id = id
    this.#at = at
    this.#onPiece = onPiece
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  add(part: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    const last = this.#blocks.at(-1)
    if (last?.type === part) last.text += text
    else this.#blocks.push({ type: part, text })
    this.#onPiece({ messageId: this.id, part, offset: this.#lengths[part], text })
    this.#lengths[part] += text.length
  }

  addCall(callId: string, name: string, input: Json, metadata: ProviderMetadata): void {
    this.#blocks.push({ type: 'tool-call', callId, name, input, ...asField(metadata) })
  }

  /** What the provider wants back with the part that just ended. */
  annotate(part: 'text' | 'reasoning', metadata: ProviderMetadata): void {
    const last = this.#blocks.at(-1)
    if (last?.type === part) Object.assign(last, asField(metadata))
    // A thought may be nothing but its signature.
    else if (part === 'reasoning' && metadata)
      this.#blocks.push({ type: part, text: '', ...asField(metadata) })
  }

  content(): AssistantContent {
    return this.#blocks.map(block => ({ ...block }))
  }

  /** What was streamed so far, as pieces from the start: for a window that opens in between. */
  pieces(): TextPiece[] {
    const joined = (part: 'text' | 'reasoning') =>
      this.#blocks.flatMap(block => (block.type === part ? [block.text] : [])).join('')
    return (['reasoning', 'text'] as const)
      .map(part => ({ messageId: this.id, part, offset: 0, text: joined(part) }))
      .filter(({ text }) => text !== '')
  }

  draft(): Draft {
    return { id: this.id, ...this.#at, content: this.content() }
  }
}
