import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'

/** A child process with its output kept and its end awaited. */
export interface MainProcess {
  readonly child: ChildProcess
  readonly exit: Promise<number | null>
  output(): string
  /** Asks it to end and kills it when it does not within 15 seconds. Idempotent. */
  end(signal?: NodeJS.Signals): Promise<void>
}

export interface MainProcessOptions {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A channel for the stand-in. */
  readonly ipc: boolean
}

const PATIENCE_MS = 15_000

export function startMainProcess({ args, env, ipc }: MainProcessOptions): MainProcess {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    serialization: 'advanced',
  })
  let text = ''
  child.stdout?.on('data', data => {
    text += data
  })
  child.stderr?.on('data', data => {
    text += data
  })
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))

  return {
    child,
    exit,
    output: () => text,
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      await exit
      clearTimeout(impatience)
    },
  }
}
