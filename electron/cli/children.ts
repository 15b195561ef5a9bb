import type { Command } from 'commander'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentDescendantEntry, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { WorkbenchClient } from '../rpc/transport/local-client.ts'
import { addCommonOptions, type CommonOptions, parseId } from './command-options.ts'
import { hasWireCode } from './failure.ts'
import { printJson, printTable } from './output.ts'
import { reachSession } from './reach-session.ts'
import { childCells } from './status-words.ts'

interface ChildrenOptions extends CommonOptions {
  readonly descendants?: true
}

const EXTRAS: ('facts' | 'warnings' | 'detail')[] = ['facts', 'warnings', 'detail']
/** Where the label stands in a row. */
const LABEL = 5

export function addChildren(program: Command): void {
  const command = program
    .command('children')
    .description('list the children of a session, as the sidebar shows them')
    .argument('<id>', 'the session', parseId)
    .option('--descendants', 'the whole tree below it')
  addCommonOptions(command, 'print each child as one line of JSON').action(listChildren)
}

async function listChildren(id: SessionId, options: ChildrenOptions): Promise<void> {
  const entries = await reachSession(options, id, async client => {
    await requireSession(client, id)
    return options.descendants ? descendantsOf(client, id) : childrenOf(client, id)
  })
  if (options.json) return printJson(entries)
  const now = Date.now()
  printTable(
    entries.map(entry => {
      const depth = 'depth' in entry && typeof entry.depth === 'number' ? entry.depth : 1
      const indent = '  '.repeat(Math.min(depth, 40) - 1)
      return childCells(entry, now).map((cell, index) => (index === LABEL ? indent + cell : cell))
    }),
  )
}

async function childrenOf(client: WorkbenchClient, parentId: SessionId): Promise<SubagentListEntry[]> {
  const { entries } = await client.subagents.children({ parentId, with: EXTRAS })
  return entries
}

async function descendantsOf(client: WorkbenchClient, rootId: SessionId): Promise<SubagentDescendantEntry[]> {
  const { entries } = await client.subagents.descendants({ rootId, with: EXTRAS })
  return entries
}

/** A listing of an unknown parent is empty, so it is asked for first. One that is damaged may have children. */
async function requireSession(client: WorkbenchClient, sessionId: SessionId): Promise<void> {
  try {
    await client.history.page({ sessionId, before: 0, limit: 1 })
  } catch (error) {
    if (!hasWireCode(error, 'SESSION_DAMAGED') && !hasWireCode(error, 'SESSION_VERSION')) throw error
  }
}
