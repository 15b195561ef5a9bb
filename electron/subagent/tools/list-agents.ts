import { z } from 'zod'
import { textContent } from '#shared/session/content.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { defineTool, type Tool, type ToolOutcome } from '../../tool/tool.ts'
import type { CatalogDeps } from '../catalog/catalog-deps.ts'
import { listChildren } from '../catalog/list-children.ts'

/** The caller's continuable children, as its model reads them. One-shots take no messages and are left out. */
export function createListAgentsTool(catalog: CatalogDeps): Tool {
  return defineTool({
    name: 'list_agents',
    description:
      'Lists your continuable agents: id, whether it is running or complete, and its label. Each takes messages by ' +
      'send_message. One whose record cannot be read is listed with a diagnostic, and takes none.',
    inputSchema: z.object({}),
    toolClass: 'delegate',
    async execute(_input, { sessionId, signal }): Promise<ToolOutcome> {
      const entries = await listChildren(catalog, sessionId, { signal })
      return { status: 'ok', content: textContent(renderAgents(entries)) }
    },
  })
}

export function renderAgents(entries: readonly SubagentListEntry[]): string {
  const lines = entries.flatMap(entry => {
    if (entry.kind === 'diagnostic') return `${entry.id} [diagnostic: ${entry.reason}]`
    if (entry.mode === 'one-shot') return []
    return `${entry.id} [${entry.activity === 'running' ? 'running' : 'complete'}] — ${entry.label}`
  })
  return lines.length === 0 ? '(no subagents)' : lines.join('\n')
}
