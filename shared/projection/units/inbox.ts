import { z } from 'zod'
import { contentSchema, textOf } from '../../session/content.ts'
import { messageSourceSchema } from '../../session/events.ts'
import { defineUnit, isInherited } from '../unit.ts'

const queuedMessageSchema = z.object({
  messageId: z.string(),
  mode: z.enum(['queue', 'steer']),
  source: messageSourceSchema,
  content: contentSchema,
})
export type QueuedMessage = z.infer<typeof queuedMessageSchema>

const stateSchema = z.array(queuedMessageSchema)

/** Messages accepted and not yet read by a turn, in the order in which they will be. */
export const inbox = defineUnit({
  key: 'inbox',
  stateVersion: 1,
  stateSchema,
  on: ['inbox/queued', 'inbox/claimed', 'inbox/cancelled'],
  init: (): QueuedMessage[] => [],
  apply: (state, event, ctx) => {
    if (isInherited(event, ctx)) return state
    switch (event.type) {
      case 'inbox/queued': {
        const parsed = queuedMessageSchema.safeParse(event.data)
        return parsed.success ? [...state, parsed.data] : state
      }
      case 'inbox/claimed':
      case 'inbox/cancelled': {
        const ids: unknown = event.data?.messageIds
        if (!Array.isArray(ids) || !state.some(message => ids.includes(message.messageId))) return state
        return state.filter(message => !ids.includes(message.messageId))
      }
      default:
        return state
    }
  },
  view: state =>
    state.map(({ messageId, mode, source, content }) => ({ messageId, mode, source, text: textOf(content) })),
  viewSchema: z.array(
    z.object({
      messageId: z.string(),
      mode: z.enum(['queue', 'steer']),
      source: messageSourceSchema,
      text: z.string(),
    }),
  ),
})
