import { setImmediate } from 'node:timers/promises'

/** How long a loop may be held at a time. */
export const SLICE_MS = 3

/**
 * Runs `steps` to its end, giving the main loop a turn every few milliseconds. Short work is done before this
 * returns: it costs no wait and keeps its place before whatever the caller does next.
 */
export function inSlices<T>(
  steps: Generator<void, T>,
): { readonly done: T } | { readonly later: Promise<T> } {
  const done = runSlice(steps)
  return done === null ? { later: goOn(steps) } : done
}

async function goOn<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    await setImmediate()
    const done = runSlice(steps)
    if (done !== null) return done.done
  }
}

function runSlice<T>(steps: Generator<void, T>): { readonly done: T } | null {
  const until = performance.now() + SLICE_MS
  do {
    const step = steps.next()
    if (step.done === true) return { done: step.value }
  } while (performance.now() < until)
  return null
}

/** `items.map(work)` with a turn for the loop every few milliseconds. A short list is done without a wait. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
): Promise<R[]> {
  const run = inSlices(eachStep(items, work))
  return 'done' in run ? run.done : run.later
}

/** `items.forEach(work)`, in the same way. */
export async function forEachInSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  const run = inSlices(everyStep(items, work))
  if ('later' in run) await run.later
}

function* everyStep<T>(items: readonly T[], work: (item: T) => void): Generator<void, void> {
  for (const item of items) {
    work(item)
    yield
  }
}

function* eachStep<T, R>(items: readonly T[], work: (item: T, index: number) => R): Generator<void, R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) {
    results.push(work(item, index))
    yield
  }
  return results
}
