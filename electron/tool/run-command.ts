import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { createOutputWindow } from './output-window.ts'
import { endGroup } from './process-group.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  /** Between asking the processes to end and killing them. */
  readonly graceMs: number
  readonly signal: AbortSignal
}

/** What became of a command: independent facts. */
export interface CommandEnd {
  /** `null`: it did not exit by itself. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  readonly aborted: boolean
  /** It could not be started, in the system's words. */
  readonly startProblem: string | null
  /** Both streams in the order in which they came, head and tail. */
  readonly output: string
  readonly outputBytes: number
  /** The output holds zero bytes: it is no text. */
  readonly binary: boolean
}

const HEAD = 24_000
const TAIL = 24_000
/** For output still in the pipe when the shell is gone. */
const DRAIN_MS = 300

/** Runs `command` in a shell and a process group of its own. Resolves when everything it started is over. Never rejects. */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandEnd> {
  const output = createOutputWindow(HEAD, TAIL)
  let outputBytes = 0
  let binary = false
  let timedOut = false

  const child = start(command, options)
  const exited = exitOf(child)
  for (const stream of [child.stdout, child.stderr]) {
    collect(
      stream,
      bytes => {
        outputBytes += bytes.length
        binary ||= bytes.includes(0)
      },
      output.add,
    )
  }
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const pid = child.pid
  let ending: Promise<void> = Promise.resolve()
  const stop = () => {
    if (pid !== undefined) ending = endGroup(pid, options.graceMs)
  }
  const timer = setTimeout(() => {
    timedOut = true
    stop()
  }, options.timeoutMs)
  const onAbort = () => stop()
  options.signal.addEventListener('abort', onAbort, { once: true })
  if (options.signal.aborted) stop()

  const exit = await exited
  clearTimeout(timer)
  options.signal.removeEventListener('abort', onAbort)
  await ending
  if (pid !== undefined) await endGroup(pid, options.graceMs)
  await Promise.race([closed, new Promise(resolve => setTimeout(resolve, DRAIN_MS))])
  child.stdout?.destroy()
  child.stderr?.destroy()
  const aborted = options.signal.aborted && !timedOut && exit.exitCode === null
  return { ...exit, timedOut, aborted, output: output.text(), outputBytes, binary }
}

function start(command: string, options: CommandOptions): ChildProcess {
  const common = {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'] as const,
    windowsHide: true,
  }
  if (process.platform === 'win32') {
    const shell = options.env['ComSpec'] ?? 'cmd.exe'
    return spawn(shell, ['/d', '/s', '/c', `"${command}"`], {
      ...common,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsVerbatimArguments: true,
    })
  }
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  return spawn(shell, ['-c', command], { ...common, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
}

type Exit = Pick<CommandEnd, 'exitCode' | 'signal' | 'startProblem'>

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise(resolve => {
    child.once('error', error => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, startProblem: error.message })
    })
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, startProblem: null }))
  })
}

/** One streaming decoder per stream: a character split between two chunks stays whole. */
function collect(
  stream: Readable | null,
  onBytes: (bytes: Buffer) => void,
  onText: (text: string) => void,
): void {
  const decoder = new TextDecoder()
  stream?.on('data', (bytes: Buffer) => {
    onBytes(bytes)
    onText(decoder.decode(bytes, { stream: true }))
  })
  stream?.once('close', () => onText(decoder.decode()))
  // A pipe that breaks has nothing more to say; the exit tells the rest.
  stream?.on('error', () => undefined)
}
