import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ImportReport } from '#shared/contract.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { CommandFailure } from './failure.ts'
import { plural } from './numbers.ts'
import { printJson, printLines } from './output.ts'
import { plainLine } from './plain-text.ts'
import { reachWorkbench } from './reach-workbench.ts'

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('import transcripts of other tools; a second run imports nothing twice')
    .argument('<path...>', 'files or folders')
  addCommonOptions(command, 'print the report of each path as one line of JSON').action(importPaths)
}

async function importPaths(paths: readonly string[], options: CommonOptions): Promise<void> {
  const absolute = paths.map(path => resolve(path))
  const { reports } = await reachWorkbench(options, client => client.imports.run({ paths: absolute }))
  if (options.json) printJson(reports)
  else printLines(reports.flatMap(reportLines))
  const barren = reports.filter(isBarren)
  if (barren.length === 0) return
  throw new CommandFailure(`Nothing could be imported from ${barren.map(({ source }) => source).join(', ')}.`)
}

function reportLines({ source, sessions, children, unchanged, skipped }: ImportReport): string[] {
  const counts = [
    plural(sessions, 'session'),
    plural(children, 'child', 'children'),
    `${unchanged} already here`,
    `${skipped.length} skipped`,
  ]
  return [
    `${plainLine(source)}: ${counts.join(', ')}`,
    ...skipped.map(({ path, reason }) => `  skipped ${plainLine(path)}: ${plainLine(reason)}`),
  ]
}

/** Something was asked for and nothing of it is there now. */
function isBarren({ sessions, children, unchanged, skipped }: ImportReport): boolean {
  return sessions + children + unchanged === 0 && skipped.length > 0
}
