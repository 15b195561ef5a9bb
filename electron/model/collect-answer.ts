import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

/** The whole answer of a stream. Rejects where the stream fails or ends without its `finish`. */
export async function collectAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  let text = ''
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        text = ''
        break
      case 'text-delta':
      case 'reasoning-delta':
        text += part.delta
        break
      case 'text-end':
        content.push({ type: 'text', text })
        break
      case 'reasoning-end':
        content.push({ type: 'reasoning', text })
        break
      case 'tool-call':
        content.push(part)
        break
      case 'error':
        throw part.error
      case 'finish':
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
      default:
        break
    }
  }
  throw new Error('the stream ended before the answer did')
}
