import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Restored } from '#shared/contract/backups.ts'
import { resolveDataFolder } from '../data-folder.ts'
import { commitRestore, prepareRestore } from '../store/backup/restore.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { CommandFailure } from './failure.ts'
import { plural } from './numbers.ts'
import { printJson, printLines } from './output.ts'
import { aloneOrWithWorkbench } from './reach-workbench.ts'

interface RestoreOptions extends CommonOptions {
  readonly stopWork?: true
}

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('put a backup in the place of the sessions; what is there now is kept as a backup')
    .argument('<backup>', 'its name, as "espalier backup --list" prints it')
    .option('--stop-work', 'stop agents that work now')
  addCommonOptions(command, 'print what was restored as JSON').action(restore)
}

async function restore(backup: string, { stopWork, ...options }: RestoreOptions): Promise<void> {
  const name = basename(backup)
  const dataFolder = resolveDataFolder({ home: options.home })
  const restored = await aloneOrWithWorkbench<Restored>(options, {
    alone: async lock => {
      if (lock === null) throw new CommandFailure(`The data folder ${dataFolder} cannot be written to.`)
      const sessions = await prepareRestore(dataFolder, name)
      const aside = commitRestore(dataFolder)
      return { sessions, kept: aside === null ? null : `${aside.folder}/${aside.name}` }
    },
    withWorkbench: client => client.backups.restore({ name, ...(stopWork && { stopWork }) }),
  })
  if (options.json) printJson([restored])
  else printLines([`Restored ${plural(restored.sessions, 'session')}.`, ...keptLine(restored)])
}

function keptLine({ kept }: Restored): string[] {
  return kept === null ? [] : [`What was there before is kept: ${kept}`]
}
