import { z } from 'zod'
import { messageOf } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import { isSessionId } from '#shared/session/ids.ts'
import { defineTool, type Tool, type ToolOutcome } from '../../tool/tool.ts'
import type { Messaging } from '../messaging.ts'

/** Stops the turn of an agent below the caller, at any depth. What is queued for it stays. */
export function createInterruptAgentTool(messaging: Messaging): Tool {
  return defineTool({
    name: 'interrupt_agent',
    description: 'Stops what one of your agents is doing now. Messages that wait for it are kept.',
    inputSchema: z.object({ agent_id: z.string() }),
    toolClass: 'delegate',
    async execute({ agent_id: childId }, { sessionId }): Promise<ToolOutcome> {
      try {
        if (!isSessionId(childId)) throw new Error(`"${childId}" is not the id of an agent`)
        await messaging.interruptFrom(sessionId, childId)
      } catch (error) {
        return { status: 'error', code: 'NOT_INTERRUPTED', content: textContent(messageOf(error)) }
      }
      return { status: 'ok', content: textContent('Accepted.'), summary: 'accepted' }
    },
  })
}
