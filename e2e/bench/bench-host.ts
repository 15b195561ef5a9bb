import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** The built browser shell. `scripts/bench.mjs` builds it first. */
const BUILT = fileURLToPath(new URL('../../out/main/serve.js', import.meta.url))

export interface BenchHost {
  /** What it printed in its ready line. */
  readonly address: string
  /** When it was started, in epoch ms. */
  readonly startedAt: number
  readonly readyAt: number
  /** Peak of the process so far; 0 where the system does not say. */
  peakRssMiB(): number
  end(): Promise<void>
}

/** A program that prints `<anything>: <address>` once it can be used, in a process of its own with Espalier's flags. */
export function startHost(args: readonly string[]): Promise<BenchHost> {
  const flags = process.execArgv.filter(flag => flag !== '--expose-gc')
  const startedAt = Date.now()
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${args[0]} ended with ${code}: ${printed}`)))
    child.stdout.on('data', data => {
      printed += data
      const address = /(http:\S+)\s/.exec(printed)?.[1]
      if (address === undefined) return
      const readyAt = Date.now()
      resolve({ address, startedAt, readyAt, peakRssMiB: () => peakRssMiB(child), end: () => end(child) })
    })
  })
}

export function startEspalier(dataFolder: string): Promise<BenchHost> {
  return startHost([BUILT, '--no-open', '--home', dataFolder])
}

function peakRssMiB({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return 0
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1024
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
