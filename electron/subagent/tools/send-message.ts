import { z } from 'zod'
import { messageOf } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import { isSessionId } from '#shared/session/ids.ts'
import { defineTool, type Tool, type ToolOutcome } from '../../tool/tool.ts'
import type { Messaging } from '../messaging.ts'

const inputSchema = z.object({ agent_id: z.string(), message: z.string().min(1) })

/** Queues a message as the next turn of one of the caller's own children; a settled one is resumed for it. */
export function createSendMessageTool(messaging: Messaging): Tool {
  return defineTool({
    name: 'send_message',
    description: 'Sends a message to one of your continuable agents. Its answer comes to you as a message.',
    inputSchema,
    toolClass: 'delegate',
    async execute({ agent_id: childId, message }, { sessionId }): Promise<ToolOutcome> {
      try {
        if (!isSessionId(childId)) throw new Error(`"${childId}" is not the id of an agent`)
        await messaging.send({ kind: 'parent', from: sessionId }, childId, textContent(message), 'queue')
      } catch (error) {
        const text = `Nothing was delivered: ${messageOf(error)}`
        return { status: 'error', code: 'NOT_DELIVERED', content: textContent(text) }
      }
      return {
        status: 'ok',
        content: textContent(`Queued as the next turn of ${childId}.`),
        summary: 'queued',
      }
    },
  })
}
