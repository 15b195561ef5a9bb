import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'

/** What one process measured. */
export interface Trial {
  /** One per repetition, in order. */
  readonly ms: readonly number[]
  /** Longest time for which the main loop could not run, over all repetitions. */
  readonly stallMs: number
  /** Peak of the whole process. */
  readonly rssMiB: number
  readonly writtenMiB?: number
  /** What was counted besides. */
  readonly counts?: Readonly<Record<string, number>>
}

const TICK_MS = 1

/** Times `work` `times` times in this process, watching the main loop. The first time is the fresh one. */
export async function measure(times: number, work: () => Promise<unknown>): Promise<Trial> {
  const delay = monitorEventLoopDelay({ resolution: TICK_MS })
  const ms: number[] = []
  let stallMs = 0
  for (let run = 0; run < times; run += 1) {
    await setTimeout(20) // what came before is over
    delay.reset()
    delay.enable()
    await setTimeout(3)
    const start = performance.now()
    await work()
    ms.push(performance.now() - start)
    await setTimeout(3) // a stall is seen by the tick behind it
    delay.disable()
    stallMs = Math.max(stallMs, delay.max / 1e6 - TICK_MS)
  }
  return { ms, stallMs: Math.max(0, stallMs), rssMiB: peakRssMiB() }
}

/** For work that never lets go of the loop: the bare cost of something. */
export function measureBare(times: number, work: () => unknown): Trial {
  const ms = Array.from({ length: times }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return { ms, stallMs: Math.max(...ms), rssMiB: peakRssMiB() }
}

function peakRssMiB(): number {
  return process.resourceUsage().maxRSS / 1024
}
