import { z } from 'zod'
import { localIdSchema } from './ids.ts'

/** What a person or a tool says. `image.data` is base64. */
export const textBlockSchema = z.object({ type: z.literal('text'), text: z.string() })
export const imageBlockSchema = z.object({
  type: z.literal('image'),
  mediaType: z.string(),
  data: z.string(),
})
export const contentSchema = z.array(z.discriminatedUnion('type', [textBlockSchema, imageBlockSchema]))
export type Content = z.infer<typeof contentSchema>

/** What a provider wants back with a block in the next request, such as a thought's signature. Opaque to us. */
const providerMetadata = z.record(z.string(), z.json()).optional()

/** What a model says. `input` is what the model asked for, before any approval. */
export const assistantContentSchema = z.array(
  z.discriminatedUnion('type', [
    textBlockSchema.extend({ providerMetadata }),
    z.object({ type: z.literal('reasoning'), text: z.string(), providerMetadata }),
    z.object({
      type: z.literal('tool-call'),
      callId: localIdSchema,
      name: z.string(),
      input: z.json(),
      providerMetadata,
    }),
  ]),
)
export type AssistantContent = z.infer<typeof assistantContentSchema>

export function textContent(text: string): Content {
  return [{ type: 'text', text }]
}

/** The readable text of a message, blocks apart by a blank line. */
export function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content
    .filter(block => block.type === 'text')
    .map(block => block.text ?? '')
    .join('\n\n')
}
