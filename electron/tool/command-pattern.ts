/** Programs whose subcommand runs the project's own code anyway: more arguments add little to what was allowed. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['test', 'run'],
  pnpm: ['test', 'run'],
  yarn: ['test', 'run'],
  bun: ['test', 'run'],
  cargo: ['test', 'build', 'check', 'clippy', 'bench'],
  go: ['test', 'build', 'vet'],
  make: [],
  pytest: [],
  vitest: [],
  jest: [],
}

const PLAIN_WORD = /^[A-Za-z0-9_./:@,+-]+$/

/**
 * What an *always* answer to this command covers. Ordinary test and build commands become "npm test *", which stands for
 * the same command with any plain arguments; every other command, and any with a character that means something to a
 * shell, stands for itself, letter by letter.
 */
export function commandPattern(command: string): string {
  const words = command.split(' ').filter(word => word !== '')
  if (!words.every(word => PLAIN_WORD.test(word))) return command
  const [program = '', ...rest] = words
  const subcommands = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined
  if (subcommands === undefined) return command
  if (subcommands.length === 0) return rest.length === 0 ? command : `${program} *`
  const [subcommand = '', ...more] = rest
  if (!subcommands.includes(subcommand)) return command
  const [script, ...args] = more
  if (subcommand === 'run') {
    return script === undefined || args.length === 0 ? command : `${program} run ${script} *`
  }
  return more.length === 0 ? command : `${program} ${subcommand} *`
}
