import { z } from 'zod'
import { textContent } from '#shared/session/content.ts'
import { shortId } from '#shared/session/ids.ts'
import { defineTool, type Tool, type ToolOutcome } from '../../tool/tool.ts'
import type { Activations } from '../activations.ts'

/** Lets a continuable child tell its parent something before it ends. */
export function createReportTool(activations: Activations): Tool {
  return defineTool({
    name: 'report',
    description: 'Sends a finding to the agent that started you, without ending your work.',
    inputSchema: z.object({ output: z.string().min(1) }),
    toolClass: 'delegate',
    async execute({ output }, { sessionId }): Promise<ToolOutcome> {
      const child = activations.get(sessionId)
      const parentId = child?.session.header.parentSession
      const parent = parentId === undefined ? undefined : activations.get(parentId)
      if (child === undefined || parent === undefined) {
        const text = 'Your parent is not there now. It gets your last message when it comes back.'
        return { status: 'error', code: 'PARENT_UNAVAILABLE', content: textContent(text) }
      }
      const label = child.record.descriptor?.label ?? shortId(sessionId)
      parent.session.append({ type: 'subagent/report', data: { childId: sessionId, label, output } })
      const text = `Agent "${label}" (${sessionId}) reports:\n\n${output}`
      parent.agent.deliver(textContent(text), { kind: 'report', from: sessionId }, 'steer')
      return { status: 'ok', content: textContent('Delivered to the parent.'), summary: 'delivered' }
    },
  })
}
