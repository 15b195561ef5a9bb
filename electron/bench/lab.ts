import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { Trial } from './measure.ts'

/** One line of `npm run bench`. */
export interface BenchResult {
  readonly name: string
  readonly sizes: Readonly<Record<string, number | string>>
  readonly ms: { readonly median: number; readonly min: number; readonly max: number }
  /** Longest main-loop stall of all trials. */
  readonly stallMs: number
  /** Highest peak of all trials. */
  readonly rssMiB: number
  readonly writtenMiB?: number
  /** The bare cost of the same work, measured in the same run. */
  readonly limit: { readonly what: string; readonly ms: number }
  readonly ratio: number
}

export interface Lab {
  /** Removed at the end. */
  readonly folder: string
  /** A size of the benchmark, made smaller by `--scale`; at least `least`. */
  size(full: number, least?: number): number
  /** Runs a trial of this file in a process of its own, `times` times in a row. */
  trials(name: string, args: TrialArguments, times?: number): Promise<Trial[]>
}

export type TrialArguments = Readonly<Record<string, string | number | boolean>>

export interface Bench {
  /** By the name that `--only` asks for. */
  readonly benchmarks: Readonly<Record<string, (lab: Lab) => AsyncIterable<BenchResult>>>
  /** What runs in a process of its own. */
  readonly trials: Readonly<Record<string, (args: TrialArguments) => Promise<Trial>>>
  /** Those that take too long to be run with all others. */
  readonly onlyWhenNamed?: readonly string[]
}

const FRESH_PROCESSES = 7
const run = promisify(execFile)

/**
 * The program of a bench file: `[--only <name>] [--scale <factor>]` prints one JSON object a line; `--trial <name>
 * <arguments>` is how it calls itself. Times are reported, never asserted.
 */
export async function runBench(
  fileUrl: string,
  { benchmarks, trials, onlyWhenNamed = [] }: Bench,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      scale: { type: 'string', default: '1' },
      trial: { type: 'string' },
      arguments: { type: 'string', default: '{}' },
    },
  })
  if (values.trial !== undefined) {
    const trial = trials[values.trial]
    if (trial === undefined) throw new Error(`there is no trial ${values.trial}`)
    print(await trial(JSON.parse(values.arguments)))
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'espalier-bench-'))
  const lab: Lab = {
    folder,
    size: (full, least = 1) => Math.max(least, Math.round(full * Number(values.scale))),
    trials: (name, args, times = FRESH_PROCESSES) => inProcesses(fileUrl, name, args, times),
  }
  try {
    for (const [name, benchmark] of Object.entries(benchmarks)) {
      const isAsked = onlyWhenNamed.includes(name) ? values.only === name : name.startsWith(values.only ?? '')
      if (!isAsked) continue
      for await (const result of benchmark(lab)) print(result)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function inProcesses(
  fileUrl: string,
  name: string,
  args: TrialArguments,
  times: number,
): Promise<Trial[]> {
  const results: Trial[] = []
  const command = [
    ...process.execArgv,
    fileURLToPath(fileUrl),
    '--trial',
    name,
    '--arguments',
    JSON.stringify(args),
  ]
  for (let done = 0; done < times; done += 1) {
    const { stdout } = await run(process.execPath, command, { maxBuffer: 2 ** 26 })
    results.push(JSON.parse(stdout))
  }
  return results
}

export interface Comparison {
  readonly name: string
  readonly sizes: BenchResult['sizes']
  readonly trials: readonly Trial[]
  readonly what: string
  readonly limits: readonly Trial[]
  /** Which repetitions count: the first of each process, or all others. */
  readonly run: 'first' | 'later'
}

export function compare({ name, sizes, trials, what, limits, run }: Comparison): BenchResult {
  const times = timesOf(trials, run)
  const limit = median(timesOf(limits, run))
  const written = trials.flatMap(({ writtenMiB }) => writtenMiB ?? [])
  return {
    name,
    sizes,
    ms: { median: round(median(times)), min: round(Math.min(...times)), max: round(Math.max(...times)) },
    stallMs: round(Math.max(...trials.map(({ stallMs }) => stallMs))),
    rssMiB: round(Math.max(...trials.map(({ rssMiB }) => rssMiB))),
    ...(written.length > 0 && { writtenMiB: round(median(written)) }),
    limit: { what, ms: round(limit) },
    ratio: round(median(times) / limit),
  }
}

function timesOf(trials: readonly Trial[], run: Comparison['run']): number[] {
  return trials.flatMap(({ ms }) => (run === 'first' ? ms.slice(0, 1) : ms.slice(1)))
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
