import type { Command } from 'commander'
import { resolveDataFolder } from '../data-folder.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { examineFolder } from './examine-folder.ts'
import { CommandFailure, UsageFailure } from './failure.ts'
import { plural } from './numbers.ts'
import { printJson, printLines } from './output.ts'
import { plainLine } from './plain-text.ts'

interface DoctorOptions extends CommonOptions {
  readonly repair?: true
}

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('check the data folder and say what is wrong; changes nothing')
    .option('--repair', 'not possible yet')
  addCommonOptions(command, 'print what was found as JSON').action(examine)
}

async function examine(options: DoctorOptions): Promise<void> {
  if (options.repair)
    throw new UsageFailure('Doctor cannot repair anything yet; without --repair it says what is wrong.')
  const dataFolder = resolveDataFolder({ home: options.home })
  const { findings, notes } = await examineFolder(dataFolder)
  if (options.json) printJson([{ ok: findings.length === 0, dataFolder, findings, notes }])
  else printLines([...findings, ...notes].map(plainLine))
  if (findings.length > 0) throw new CommandFailure(`Doctor found ${plural(findings.length, 'fault')}.`)
  if (!options.json) printLines([`Nothing is wrong with ${plainLine(dataFolder)}.`])
}
