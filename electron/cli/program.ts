import { Command } from 'commander'
import { version } from '../version.ts'
import { addBackup } from './backup.ts'
import { addChildren } from './children.ts'
import { addCorpus } from './corpus.ts'
import { addDoctor } from './doctor.ts'
import { addExport } from './export.ts'
import { addHistory } from './history.ts'
import { addImport } from './import.ts'
import { addMigrate } from './migrate.ts'
import { plainText } from './plain-text.ts'
import { addRestore } from './restore.ts'
import { addSearch } from './search.ts'
import { addServe } from './serve.ts'
import { addSessions } from './sessions.ts'

/** The command line. Parsing throws a `CommanderError` instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('espalier')
    .description('Works on the sessions of Espalier, through the running workbench where there is one.')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: (text, write) => write(plainText(text)) })
  for (const add of [
    addServe,
    addImport,
    addSessions,
    addChildren,
    addHistory,
    addSearch,
    addExport,
    addDoctor,
    addCorpus,
    addBackup,
    addRestore,
    addMigrate,
  ]) {
    add(program)
  }
  return program
}
