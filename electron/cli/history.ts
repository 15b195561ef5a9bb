import type { Command } from 'commander'
import type { HistoryPage } from '#shared/contract/session-shapes.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { WorkbenchClient } from '../rpc/transport/local-client.ts'
import { addCommonOptions, type CommonOptions, parseId, wholeNumber } from './command-options.ts'
import { complain, printJson, printLines } from './output.ts'
import { reachSession } from './reach-session.ts'
import { damageText, transcriptLines } from './transcript.ts'

interface HistoryOptions extends CommonOptions {
  readonly before?: number
  readonly limit: number
}

const DEFAULT_LIMIT = 200
/** What the contract gives at a time. */
const LARGEST_PAGE = 1000

export function addHistory(program: Command): void {
  const command = program
    .command('history')
    .description('print the history of a session, oldest first')
    .argument('<id>', 'the session', parseId)
    .option('--before <seq>', 'only what stands before this event', wholeNumber(0))
    .option('--limit <n>', 'at most so many events, the latest ones', wholeNumber(1), DEFAULT_LIMIT)
  addCommonOptions(command, 'print each event as one line of JSON').action(printHistory)
}

async function printHistory(id: SessionId, options: HistoryOptions): Promise<void> {
  const { events, damage, seedLength, label } = await reachSession(options, id, client =>
    readHistory(client, id, options),
  )
  if (options.json) {
    printJson(events)
    for (const item of damage) complain(damageText(item))
    return
  }
  printLines(transcriptLines({ events, damage, seedLength, label }))
}

interface History {
  readonly events: readonly StoredEvent[]
  readonly damage: readonly Damage[]
  readonly seedLength: number
  /** The name of the agent, where its record says one. */
  readonly label: string | null
}

/** Page by page, backwards. */
async function readHistory(
  client: WorkbenchClient,
  sessionId: SessionId,
  { before, limit }: HistoryOptions,
): Promise<History> {
  const pages: HistoryPage[] = []
  let left = limit
  for (let next: number | null | undefined = before; next !== null && left > 0; ) {
    const range: { before?: number; limit: number } = { limit: Math.min(left, LARGEST_PAGE) }
    if (next !== undefined) range.before = next
    const page: HistoryPage = await client.history.page({ sessionId, ...range })
    pages.unshift(page)
    left -= page.events.length
    next = page.nextBefore
  }
  const tail = before === undefined ? pages.at(-1) : await client.history.page({ sessionId, limit: 1 })
  return {
    events: pages.flatMap(({ events }) => events),
    damage: pages.flatMap(({ damage }) => damage),
    seedLength: pages[0]?.seedLength ?? 0,
    label: labelIn(tail?.snapshot?.values['subagent']),
  }
}

function labelIn(identity: unknown): string | null {
  if (typeof identity !== 'object' || identity === null || !('label' in identity)) return null
  return typeof identity.label === 'string' ? identity.label : null
}
