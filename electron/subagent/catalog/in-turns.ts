import { inSlices } from '../../slices.ts'
import { throwIfCancelled } from './catalog-deps.ts'

/** Items between two looks at the clock. */
const STEP = 16

/** Runs a long computation with turns for the main loop in between; it is given up at an abort. */
export async function inTurns<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  const run = inSlices(steps)
  const result = 'done' in run ? run.done : await run.later
  throwIfCancelled(signal)
  return result
}

/** `items.forEach(work)` as part of such a computation. */
export function* eachOf<T>(
  items: readonly T[],
  work: (item: T, index: number) => void,
): Generator<void, void> {
  let index = 0
  for (const item of items) {
    work(item, index)
    index += 1
    if (index % STEP === 0) yield
  }
}
