import type { Command } from 'commander'
import { resolveDataFolder } from '../data-folder.ts'
import { examineFolder } from '../examine-folder.ts'
import { repairFolder } from '../store/backup/repair.ts'
import { backendOf } from '../store/open-backend.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { CommandFailure } from './failure.ts'
import { plural } from './numbers.ts'
import { printJson, printLines } from './output.ts'
import { plainLine } from './plain-text.ts'
import { lockAlone } from './reach-workbench.ts'

interface DoctorOptions extends CommonOptions {
  readonly repair?: true
}

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('check the data folder and say what is wrong; changes nothing unless told to')
    .option('--repair', 'repair what can be repaired, on a copy and after a backup')
  addCommonOptions(command, 'print what was found as JSON').action(examine)
}

async function examine(options: DoctorOptions): Promise<void> {
  const dataFolder = resolveDataFolder({ home: options.home })
  const { findings, notes } = await examineFolder(dataFolder)
  if (options.repair && findings.length > 0) return repair(dataFolder, findings, options)
  if (options.json) printJson([{ ok: findings.length === 0, dataFolder, findings, notes }])
  else printLines([...findings, ...notes].map(plainLine))
  if (findings.length > 0) throw new CommandFailure(`Doctor found ${plural(findings.length, 'fault')}.`)
  if (!options.json) printLines([`No faults: nothing is wrong with ${plainLine(dataFolder)}.`])
}

async function repair(
  dataFolder: string,
  findings: readonly string[],
  { json }: DoctorOptions,
): Promise<void> {
  if (!json) printLines(findings.map(finding => `Found: ${plainLine(finding)}`))
  const lock = lockAlone(dataFolder)
  try {
    const repaired = backendOf(dataFolder) === 'sqlite' ? await repairFolder(dataFolder, findings) : []
    const { findings: left, notes } = await examineFolder(dataFolder)
    if (json) printJson([{ ok: left.length === 0, dataFolder, findings: left, notes, repaired }])
    else printLines([...repaired, ...left.map(finding => `Left: ${finding}`), ...notes].map(plainLine))
    if (left.length > 0) throw new CommandFailure(`${plural(left.length, 'fault')} cannot be repaired.`)
    if (!json) printLines([`No faults are left in ${plainLine(dataFolder)}.`])
  } finally {
    lock.release()
  }
}
