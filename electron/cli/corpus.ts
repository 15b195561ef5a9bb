import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { hasCode } from '#shared/errors.ts'
import { fillCorpus } from '../corpus/fill-corpus.ts'
import { resolveDataFolder } from '../data-folder.ts'
import { openStore } from '../store/store-client.ts'
import { addCommonOptions, type CommonOptions, wholeNumber } from './command-options.ts'
import { CommandFailure, UsageFailure } from './failure.ts'
import { printJson, printLines } from './output.ts'
import { lockAlone } from './reach-workbench.ts'

interface CorpusCommandOptions extends CommonOptions {
  readonly children: number
  readonly events: number
  readonly unrelated: number
  readonly unrelatedChildren: number
  readonly depth: number
  readonly checkpoints: boolean
  readonly seed: number
}

const MOST_SESSIONS = 1_000_000
const MOST_EVENTS = 10_000_000

export function addCorpus(program: Command): void {
  const command = program
    .command('corpus')
    .description('fill a data folder with a synthetic tree and print its root')
    .requiredOption('--children <d>', 'sessions below the root', wholeNumber(1, MOST_SESSIONS))
    .requiredOption('--events <e>', 'events of each of them', wholeNumber(1, MOST_EVENTS))
    .option('--unrelated <u>', 'sessions beside the tree', wholeNumber(0, MOST_SESSIONS), 0)
    .option('--unrelated-children <c>', 'children of each of those', wholeNumber(0, MOST_SESSIONS), 0)
    .option('--depth <k>', 'levels below the root', wholeNumber(1, MOST_SESSIONS), 1)
    .option('--no-checkpoints', 'leave out what makes listings fast')
    .option('--seed <n>', 'another seed, other sessions', wholeNumber(0, 0xffff_ffff), 1)
  addCommonOptions(command, 'print what was written as JSON').action(fill)
}

async function fill({ home, json, ...options }: CorpusCommandOptions): Promise<void> {
  if (options.depth > options.children) throw new UsageFailure('There are fewer children than levels.')
  const dataFolder = resolveDataFolder({ home })
  const lock = lockAlone(dataFolder)
  try {
    const cwd = join(dataFolder, 'corpus')
    mkdirSync(cwd, { recursive: true, mode: 0o700 })
    const store = await openStore({ dataFolder })
    const report = await fillCorpus({ ...store, cwd }, options).finally(() => store.close())
    if (json) printJson([report])
    else printLines([report.root])
  } catch (error) {
    if (!hasCode(error, 'SESSION_EXISTS')) throw error
    throw new CommandFailure('This corpus is here already; give another --seed for another one.', {
      cause: error,
    })
  } finally {
    lock.release()
  }
}
