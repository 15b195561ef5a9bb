import type { AssistantModelMessage, ModelMessage, ToolResultPart, UserModelMessage } from 'ai'
import type { AssistantContent, Content } from '#shared/session/content.ts'
import { type EventOf, readEvent, type StoredEvent } from '#shared/session/events.ts'

interface Entry {
  readonly seq: number
  readonly message: ModelMessage
}

/**
 * What the model is sent, folded from the log alone. A compaction's summary takes the place of the range it
 * shadows; nothing is deleted. Events that are not for the model leave it as it is.
 */
export class ModelContext {
  #entries: Entry[] = []

  apply(stored: StoredEvent): void {
    const event = readEvent(stored)
    if (event === null) return
    switch (event.type) {
      case 'user/message':
        this.#add(event.seq, { role: 'user', content: userContent(event.data.content) })
        break
      case 'assistant/message':
        this.#addAssistant(event)
        break
      case 'tool/result':
        this.#addResult(event.seq, resultPart(event))
        break
      case 'compaction/summary':
        this.#shadow(event)
        break
      default:
    }
  }

  /** The model spoke last: providers want somebody else to before they go on. */
  get endsWithModel(): boolean {
    return this.#entries.at(-1)?.message.role === 'assistant'
  }

  messages(): ModelMessage[] {
    return this.#entries.map(({ message }) => message)
  }

  #add(seq: number, message: ModelMessage): void {
    this.#entries.push({ seq, message })
  }

  #addAssistant({ seq, data }: EventOf<'assistant/message'>): void {
    const content = data.content.flatMap(block => assistantParts(block, data.interrupted === true))
    if (content.length > 0) this.#add(seq, { role: 'assistant', content })
  }

  /** Results of one step share one message, as providers want them. */
  #addResult(seq: number, part: ToolResultPart): void {
    const last = this.#entries.at(-1)
    if (last?.message.role !== 'tool') {
      this.#add(seq, { role: 'tool', content: [part] })
      return
    }
    const content = [...last.message.content, part]
    this.#entries[this.#entries.length - 1] = { seq: last.seq, message: { role: 'tool', content } }
  }

  #shadow({ data }: EventOf<'compaction/summary'>): void {
    const { fromSeq, toSeq, summary } = data
    const isShadowed = ({ seq }: Entry) => seq >= fromSeq && seq <= toSeq
    const first = this.#entries.findIndex(isShadowed)
    if (first === -1) return
    const kept = this.#entries.filter(entry => !isShadowed(entry))
    const text = `Summary of the conversation so far:\n\n${summary}`
    kept.splice(first, 0, { seq: fromSeq, message: { role: 'user', content: text } })
    this.#entries = kept
  }
}

/** Of an interrupted message only the text counts: a half thought has no signature, a call was never made. */
function assistantParts(block: AssistantContent[number], interrupted: boolean): AssistantParts {
  const options = block.providerMetadata && { providerOptions: block.providerMetadata as ProviderOptions }
  if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text, ...options }]
  if (interrupted) return []
  if (block.type === 'reasoning') return [{ type: 'reasoning', text: block.text, ...options }]
  const { callId: toolCallId, name: toolName, input } = block
  return [{ type: 'tool-call', toolCallId, toolName, input, ...options }]
}

type UserParts = Exclude<UserModelMessage['content'], string>
type ProviderOptions = NonNullable<AssistantModelMessage['providerOptions']>
type AssistantParts = Exclude<AssistantModelMessage['content'], string>

function userContent(content: Content): UserParts {
  return content.map(block =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'file', mediaType: block.mediaType, data: block.data },
  )
}

function resultPart({ data }: EventOf<'tool/result'>): ToolResultPart {
  const { callId: toolCallId, name: toolName, content, status } = data
  const onlyText = content.every(block => block.type === 'text')
  const value = content
    .map(block => (block.type === 'text' ? block.text : `[image, ${block.mediaType}]`))
    .join('\n')
  if (onlyText || status === 'error') {
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: status === 'ok' ? 'text' : 'error-text', value },
    }
  }
  const parts = content.map(block =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : {
          type: 'file' as const,
          mediaType: block.mediaType,
          data: { type: 'data' as const, data: block.data },
        },
  )
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'content', value: parts } }
}
