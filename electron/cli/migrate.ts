import { type Command, Option } from 'commander'
import { resolveDataFolder } from '../data-folder.ts'
import { MEDIUM_SENTENCES, mediumFault, systemCodeOf } from '../store/medium.ts'
import { type Keeping, type MoveReport, moveStore } from '../store/transfer/move-store.ts'
import { addCommonOptions, type CommonOptions } from './command-options.ts'
import { CommandFailure, UsageFailure } from './failure.ts'
import { plural } from './numbers.ts'
import { printJson, printLines } from './output.ts'
import { plainLine } from './plain-text.ts'
import { lockAlone } from './reach-workbench.ts'

interface MigrateOptions extends CommonOptions {
  readonly to: Keeping
  readonly compress?: true
}

const WAYS: Readonly<Record<Keeping, string>> = { jsonl: 'files', sqlite: 'a database' }

export function addMigrate(program: Command): void {
  const to = new Option(
    '--to <way>',
    'files that can be read with any tool (jsonl), or one database (sqlite)',
  )
  const command = program
    .command('migrate')
    .description(
      'keep the sessions in another way: moves all of them, compares, and keeps the old ones as a backup',
    )
    .addOption(to.choices(['jsonl', 'sqlite']).makeOptionMandatory())
    .option('--compress', 'pack the logs of new files (zstd); plain text otherwise')
  addCommonOptions(command, 'print what was moved as JSON').action(migrate)
}

async function migrate({ home, json, to, compress }: MigrateOptions): Promise<void> {
  if (compress && to !== 'jsonl')
    throw new UsageFailure('Only files are packed: --compress goes with --to jsonl.')
  const dataFolder = resolveDataFolder({ home })
  const lock = lockAlone(dataFolder)
  try {
    const report = await moved({ dataFolder, to, encoding: compress ? 'zstd' : 'text' })
    if (json) printJson([{ to, moved: report !== null, ...report }])
    else printLines(linesOf(report, to).map(plainLine))
    const left = report?.left.length ?? 0
    if (left > 0) {
      throw new CommandFailure(
        `${plural(left, 'part')} could not be moved and can be found in the backup alone.`,
      )
    }
  } finally {
    lock.release()
  }
}

async function moved(move: Parameters<typeof moveStore>[0]): Promise<MoveReport | null> {
  try {
    return await moveStore(move)
  } catch (error) {
    const code = systemCodeOf(error)
    const fault = code === null ? null : mediumFault(code)
    if (fault === null) throw error
    throw new CommandFailure(
      `${MEDIUM_SENTENCES[fault]} Nothing was changed: the sessions are kept as before.`,
      { cause: error },
    )
  }
}

function linesOf(report: MoveReport | null, to: Keeping): string[] {
  if (report === null) return [`The sessions are kept in ${WAYS[to]} already.`]
  const { sessions, events, outputs, left, backup } = report
  return [
    `Moved ${plural(sessions, 'session')} with ${plural(events, 'event')} and ${plural(outputs, 'output')} into ${WAYS[to]}; each was compared.`,
    ...left,
    ...(backup === null ? [] : [`The old ones are kept in ${backup}.`]),
  ]
}
