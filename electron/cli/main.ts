import process from 'node:process'
import { endingOf } from './failure.ts'
import { complain, endWithReader } from './output.ts'
import { createProgram } from './program.ts'

/** The `espalier` command: 0 when it was done, 1 when it could not be, 2 for wrong usage. */
endWithReader()
try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  const { exitCode, sentence } = endingOf(error)
  process.exitCode = exitCode
  complain(sentence)
}
