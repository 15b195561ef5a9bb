import { z } from 'zod'
import { oneLine } from '../../one-line.ts'
import { textOf } from '../../session/content.ts'
import { defineUnit, isInherited } from '../unit.ts'
import { excerpt } from './excerpt.ts'

const MAX_TITLE = 90

const stateSchema = z.object({ given: z.string().nullable(), first: z.string().nullable() })
type TitleState = z.infer<typeof stateSchema>

/** The last title given, else the beginning of the first own message. */
export const title = defineUnit({
  key: 'title',
  stateVersion: 1,
  stateSchema,
  on: ['session/title', 'user/message'],
  init: (): TitleState => ({ given: null, first: null }),
  apply: (state, event, ctx) => {
    if (isInherited(event, ctx)) return state
    if (event.type === 'session/title') {
      return typeof event.data?.title === 'string' ? { ...state, given: event.data.title } : state
    }
    if (state.first !== null) return state
    const content: unknown = event.data?.content
    if (event.data?.source?.kind === 'context' || !Array.isArray(content)) return state
    const text = titleText(textOf(content.filter(isBlock)))
    return text === '' ? state : { ...state, first: text }
  },
  view: ({ given, first }) => given ?? first,
  viewSchema: z.string().nullable(),
})

function isBlock(value: unknown): value is { type: string; text?: string } {
  return typeof value === 'object' && value !== null && typeof (value as { text?: unknown }).text === 'string'
}

function titleText(text: string): string {
  const line = oneLine(text, 1000)
  return line.length > MAX_TITLE ? `${excerpt(line, MAX_TITLE - 1).trimEnd()}…` : line
}
