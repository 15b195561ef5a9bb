import { setImmediate } from 'node:timers/promises'

/** How long the main loop may be held at a time. */
const SLICE_MS = 3

/** `items.map(work)` with a turn for the main loop every few milliseconds. A short list is done without a wait. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = []
  let until = performance.now() + SLICE_MS
  for (const [index, item] of items.entries()) {
    results.push(work(item, index))
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE_MS
  }
  return results
}
