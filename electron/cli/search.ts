import { setTimeout } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { SearchAnswer, SearchHit, SearchStatus } from '#shared/contract/search.ts'
import type { WorkbenchClient } from '../rpc/transport/local-client.ts'
import { addCommonOptions, type CommonOptions, wholeNumber } from './command-options.ts'
import { CommandFailure } from './failure.ts'
import { complain, printJson, printLines } from './output.ts'
import { plainLine } from './plain-text.ts'
import { hasData, reachWorkbench } from './reach-workbench.ts'

interface SearchOptions extends CommonOptions {
  readonly limit: number
}

const DEFAULT_LIMIT = 50
/** What the contract gives at a time. */
const LARGEST_PAGE = 200
const LONGEST_TEXT = 1000
const LOOK_EVERY_MS = 150
const SAY_EVERY_MS = 1000

export function addSearch(program: Command): void {
  const command = program
    .command('search')
    .description('find words in all sessions, children included: session, event and where it stands')
    .argument('<text...>', 'words, all of which must be there, or "phrases in quotes"', addText)
    .option('--limit <n>', 'at most so many', wholeNumber(1, 100_000), DEFAULT_LIMIT)
  addCommonOptions(command, 'print each hit as one line of JSON').action(
    (words: readonly string[], options: SearchOptions) => search(words.join(' '), options),
  )
}

async function search(text: string, options: SearchOptions): Promise<void> {
  if (!hasData(options)) return
  const hits = await reachWorkbench(options, async client => {
    await untilIndexed(client)
    return find(client, text, options.limit)
  })
  if (options.json) printJson(hits)
  else printLines(hits.map(({ sessionId, seq, excerpt }) => `${sessionId} ${seq} ${plainLine(excerpt.text)}`))
}

/** Waits for the index and says how far it is. @throws CommandFailure when there will be none. */
async function untilIndexed(client: WorkbenchClient): Promise<void> {
  let saidAt = performance.now()
  for (;;) {
    const status = await client.search.status()
    if (status.done) return
    if (status.state !== 'building') throw new CommandFailure(status.problem ?? 'There is no search index.')
    if (performance.now() - saidAt > SAY_EVERY_MS) {
      complain(progressText(status))
      saidAt = performance.now()
    }
    await setTimeout(LOOK_EVERY_MS)
  }
}

function progressText({ indexedEvents, totalEvents }: SearchStatus): string {
  const percent = totalEvents === 0 ? 0 : Math.floor((100 * indexedEvents) / totalEvents)
  return `Making the search index: ${percent}% of ${totalEvents} events.`
}

async function find(client: WorkbenchClient, text: string, limit: number): Promise<SearchHit[]> {
  const hits: SearchHit[] = []
  let cursor: string | undefined
  while (hits.length < limit) {
    const page: SearchAnswer = await client.search.query({
      text,
      limit: Math.min(LARGEST_PAGE, limit - hits.length),
      ...(cursor !== undefined && { cursor }),
    })
    hits.push(...page.hits)
    if (page.next === null) break
    cursor = page.next
  }
  return hits
}

function addText(word: string, before: readonly string[] | undefined): string[] {
  const words = [...(before ?? []), word]
  if (words.join(' ').length <= LONGEST_TEXT) return words
  throw new InvalidArgumentError(`It takes at most ${LONGEST_TEXT} characters.`)
}
