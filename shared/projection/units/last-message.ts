import { z } from 'zod'
import { oneLine } from '../../one-line.ts'
import { defineUnit } from '../unit.ts'
import { excerpt } from './excerpt.ts'

const MAX_EXCERPT = 240

const stateSchema = z.object({
  seq: z.number(),
  time: z.number(),
  author: z.enum(['user', 'assistant']),
  excerpt: z.string(),
})
export type LastMessage = z.infer<typeof stateSchema>

const latestSchema = stateSchema.nullable()

/** The latest message with text: what a row peeks at, and when something last happened. */
export const lastMessage = defineUnit({
  key: 'lastMessage',
  stateVersion: 1,
  stateSchema: latestSchema,
  on: ['user/message', 'assistant/message'],
  init: (): LastMessage | null => null,
  apply: (state, event): LastMessage | null => {
    if (event.type === 'user/message' && event.data?.source?.kind === 'context') return state
    const line = firstLine(event.data?.content)
    if (line === '') return state
    const author = event.type === 'user/message' ? 'user' : 'assistant'
    return { seq: event.seq, time: event.time, author, excerpt: line }
  },
  view: state => state,
  viewSchema: latestSchema,
})

function firstLine(content: unknown): string {
  if (!Array.isArray(content)) return ''
  for (const block of content as unknown[]) {
    const text = (block as { type?: unknown; text?: unknown } | null)?.text
    if ((block as { type?: unknown } | null)?.type !== 'text' || typeof text !== 'string') continue
    const line = lineOf(text)
    if (line !== '') return line
  }
  return ''
}

/** The text on one line, cut. Most texts are long and have no runs of whitespace: then a little of it is enough. */
function lineOf(text: string): string {
  const line = oneLine(text, MAX_EXCERPT + 20)
  const isEnough = line.length >= MAX_EXCERPT || text.length <= MAX_EXCERPT + 20
  return excerpt(isEnough ? line : oneLine(text, MAX_EXCERPT * 4), MAX_EXCERPT)
}
