import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { unfinishedBytes } from '#shared/utf8.ts'
import { endGroup } from './process-group.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  /** Between asking the processes to end and killing them. */
  readonly graceMs: number
  readonly signal: AbortSignal
  /** Takes what both streams say, as it comes; a character is never cut. The command is held up until it resolves. */
  readonly write: (bytes: Uint8Array) => Promise<void>
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
}

/** When the shell is gone, its pipes are read until nothing came for so long. */
const DRAIN_MS = 300
/** Somebody who left its group may go on speaking: he is heard no longer than this, less for a command that was stopped. */
const MOST_DRAIN_MS = 10_000
const STOPPED_DRAIN_MS = 1000

/** Runs `command` in a shell and a process group of its own. Resolves when everything it started is over. Never rejects. */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandEnd> {
  let timedOut = false

  const child = start(command, options)
  const exited = exitOf(child)
  const flow: Flow = { chunks: 0, writing: 0 }
  const reading = Promise.all(
    [child.stdout, child.stderr].map(stream => collect(stream, options.write, flow)),
  ).then(() => true)
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
  await drained(reading, flow, options.signal.aborted ? STOPPED_DRAIN_MS : MOST_DRAIN_MS)
  child.stdout?.destroy()
  child.stderr?.destroy()
  await reading
  const aborted = options.signal.aborted && !timedOut && exit.exitCode === null
  return { ...exit, timedOut, aborted }
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

interface Flow {
  /** Chunks that were read so far. */
  chunks: number
  /** Chunks that are being written. */
  writing: number
}

/**
 * Reads a pipe no faster than its bytes are taken. The start of a character whose rest is still to come is held back: the
 * other stream's bytes must not come between.
 */
async function collect(
  stream: Readable | null,
  write: (bytes: Uint8Array) => Promise<void>,
  flow: Flow,
): Promise<void> {
  if (stream === null) return
  let held: Uint8Array = new Uint8Array()
  try {
    for await (const chunk of stream) {
      const bytes: Uint8Array = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const whole = bytes.length - unfinishedBytes(bytes)
      held = bytes.subarray(whole)
      flow.chunks += 1
      flow.writing += 1
      await write(bytes.subarray(0, whole)).finally(() => (flow.writing -= 1))
    }
  } catch {
    // A pipe that breaks, or that was closed under us, has nothing more to say; the exit tells the rest.
  }
  if (held.length > 0) await write(held)
}

/** What the pipes still hold when the shell is gone. Somebody who left its group may keep them open for ever. */
async function drained(reading: Promise<boolean>, flow: Flow, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  for (;;) {
    const before = flow.chunks
    if (await Promise.race([reading, sleep(DRAIN_MS, false)])) return
    if (flow.chunks === before && flow.writing === 0) return
    if (performance.now() >= end) return
  }
}
