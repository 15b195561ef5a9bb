import { z } from 'zod'
import { byteSize, count } from './amount-text.ts'
import { commandPattern } from './command-pattern.ts'
import { errorOutcome, okOutcome } from './outcome-text.ts'
import { type CommandEnd, runCommand } from './run-command.ts'
import { shellEnv } from './shell-env.ts'
import { defineTool, type Tool, type ToolOutcome } from './tool.ts'
import type { FinishedOutput } from './tool-output.ts'
import { missingFolder } from './tool-path.ts'

export interface ShellToolOptions {
  /** The host's environment. Secrets of Espalier's are taken out of it. */
  readonly env: NodeJS.ProcessEnv
  readonly defaultTimeoutSeconds?: number
  /** Between asking processes to end and killing them. */
  readonly graceMs?: number
}

const MAX_TIMEOUT_SECONDS = 3600

const inputSchema = z.object({
  command: z.string().min(1).max(100_000).describe('A command line for bash (cmd.exe on Windows).'),
  timeoutSeconds: z.number().min(0.1).max(MAX_TIMEOUT_SECONDS).optional().describe('The default is 120.'),
})
type ShellInput = z.infer<typeof inputSchema>

export function createShellTool({
  env,
  defaultTimeoutSeconds = 120,
  graceMs = 2000,
}: ShellToolOptions): Tool {
  const childEnv = shellEnv(env)
  return defineTool<ShellInput>({
    name: 'shell',
    description:
      'Runs a command in the folder of the session and answers with its output, the middle cut out when it is long. ' +
      'There is no input to type and no terminal; what it leaves running in the background is ended with it.',
    inputSchema,
    toolClass: 'shell',
    approvalPattern: ({ command }) => `shell: ${commandPattern(command)}`,
    execute: async ({ command, timeoutSeconds }, { cwd, signal, output }) => {
      if (signal.aborted) return errorOutcome('CANCELLED', 'The command was stopped before it began.')
      if (command.includes('\0'))
        return errorOutcome('BAD_COMMAND', 'A command cannot hold a zero byte. Remove it.')
      const missing = await missingFolder(cwd)
      if (missing !== null) return missing
      const seconds = timeoutSeconds ?? defaultTimeoutSeconds
      const end = await runCommand(command, {
        cwd,
        env: childEnv,
        timeoutMs: seconds * 1000,
        graceMs,
        signal,
        write: bytes => output.write(bytes),
      })
      return outcomeOf(end, await output.finish(), seconds)
    },
  })
}

function outcomeOf(end: CommandEnd, said: FinishedOutput, seconds: number): ToolOutcome {
  const output = said.text.replace(/\n+$/, '')
  const facts = { exitCode: end.exitCode, ...(said.ref !== null && { output: said.ref }) }
  if (end.startProblem !== null) {
    return errorOutcome('NOT_STARTED', `The command could not be started: ${end.startProblem}.`, facts)
  }
  if (end.timedOut) {
    const why = `Stopped after ${count(seconds, 'second')}: its time limit. Set timeoutSeconds if it needs longer.`
    return errorOutcome('TIMED_OUT', withNote(output, why), { ...facts, summary: `timed out, ${seconds} s` })
  }
  if (end.aborted) {
    return errorOutcome('CANCELLED', withNote(output, 'Stopped before it ended.'), {
      ...facts,
      summary: 'stopped',
    })
  }
  if (end.signal !== null) {
    const summary = `ended by ${end.signal}`
    return errorOutcome('SIGNAL', withNote(output, `Ended by the signal ${end.signal}.`), {
      ...facts,
      summary,
    })
  }
  if (end.exitCode !== 0) {
    const summary = `exit code ${end.exitCode}`
    return errorOutcome('EXIT_CODE', withNote(output, `Exit code ${end.exitCode}.`), { ...facts, summary })
  }
  return okOutcome(output === '' ? '[No output.]' : output, {
    ...facts,
    summary: outputSummary(said, output),
  })
}

function withNote(output: string, note: string): string {
  return output === '' ? `[${note}]` : `${output}\n\n[${note}]`
}

function outputSummary({ bytes, binary }: FinishedOutput, shown: string): string {
  if (bytes === 0) return 'no output'
  if (binary) return `binary, ${byteSize(bytes)}`
  return bytes > 48_000 ? byteSize(bytes) : count(shown.split('\n').length, 'line')
}
