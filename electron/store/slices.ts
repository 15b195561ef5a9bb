import { setImmediate } from 'node:timers/promises'

/** How long the main loop may be held at a time. */
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
