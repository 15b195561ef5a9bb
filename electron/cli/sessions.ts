import type { Command } from 'commander'
import type { SessionSummary } from '#shared/contract/session-shapes.ts'
import { shortId } from '#shared/session/ids.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { localTime } from './numbers.ts'
import { printJson, printTable } from './output.ts'
import { cutTo, plainLine } from './plain-text.ts'
import { hasData, reachWorkbench } from './reach-workbench.ts'
import { labelCell, numbersOf, statusWord } from './status-words.ts'

export function addSessions(program: Command): void {
  const command = program.command('sessions').description('list the sessions, latest activity first')
  addCommonOptions(command, 'print each session as one line of JSON').action(listSessions)
}

async function listSessions(options: CommonOptions): Promise<void> {
  if (!hasData(options)) return
  const { sessions, unreadable } = await reachWorkbench(options, client => client.sessions.list({}))
  if (options.json) {
    printJson(sessions.map(session => ({ kind: 'session', id: session.header.id, ...session })))
    printJson(unreadable.map(record => ({ kind: 'unreadable', ...record })))
    return
  }
  const now = Date.now()
  printTable([
    ...sessions.map(session => cellsOf(session, now)),
    ...unreadable.map(({ id, problem }) => [
      cutTo(40, id),
      'Record damaged',
      '',
      '',
      '',
      plainLine(problem),
      '',
    ]),
  ])
}

function cellsOf({ header, title, activity, facts, rollup }: SessionSummary, now: number): string[] {
  const { lastActivity } = facts
  const status = [
    statusWord(facts, activity),
    ...(rollup.running > 0 ? [`${rollup.running} running`] : []),
    ...(rollup.waiting > 0 ? [`${rollup.waiting} waiting`] : []),
  ]
  const used = lastActivity ? localTime(lastActivity) : ''
  const label = labelCell(title ?? shortId(header.id))
  return [header.id, status.join(', '), ...numbersOf(facts, now), used, label, cutTo(60, header.cwd ?? '')]
}
