import type { Command } from 'commander'
import type { BackupInfo } from '#shared/contract/backups.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { CommandFailure } from './failure.ts'
import { localTime } from './numbers.ts'
import { printJson, printLines, printTable } from './output.ts'
import { hasData, reachWorkbench } from './reach-workbench.ts'

interface BackupOptions extends CommonOptions {
  readonly list?: true
}

export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('back up the sessions of the data folder and print the name of the backup')
    .option('--list', 'list the backups instead, newest first')
  addCommonOptions(command, 'print each backup as one line of JSON').action(backUp)
}

async function backUp(options: BackupOptions): Promise<void> {
  if (options.list) return list(options)
  if (!hasData(options)) throw new CommandFailure('There are no sessions yet.')
  const backup = await reachWorkbench(options, client => client.backups.create())
  if (options.json) printJson([backup])
  else printLines([backup.name])
}

async function list(options: BackupOptions): Promise<void> {
  const { backups } = await reachWorkbench(options, client => client.backups.list())
  if (options.json) printJson(backups)
  else printTable(backups.map(cellsOf))
}

function cellsOf({ name, at, reason, bytes, sessions }: BackupInfo): string[] {
  const count = sessions === null ? 'cannot be read' : `${sessions} sessions`
  return [name, localTime(at), reason, `${(bytes / 1024 ** 2).toFixed(1)} MiB`, count]
}
