import type { SessionId } from '#shared/session/ids.ts'
import type { CatalogDeps } from './catalog-deps.ts'

/** Bounds a scan of local media; a setting once a networked backend exists. */
export const COLD_READS = 4

type Read<T> = (id: SessionId, signal?: AbortSignal) => Promise<T>

interface Shared<T> {
  readonly result: Promise<T>
  readonly abort: AbortController
  waiting: number
}

/** The same store for any number of listings: see `shareReads`. */
export function withSharedReads(
  persistence: NonNullable<CatalogDeps['persistence']>,
): NonNullable<CatalogDeps['persistence']> {
  return {
    list: (filter, signal) => persistence.list(filter, signal),
    get: (id, signal) => persistence.get(id, signal),
    inspectFolded: shareReads((id, signal) => persistence.inspectFolded(id, signal)),
  }
}

/**
 * Reads of logs that are under way are shared by all who want the same one, and there are at most `most` at a time,
 * whoever asked for them (contracts §6.6). Who aborts leaves alone; when nobody waits any more the read itself is
 * aborted. Nothing is remembered: what has ended, well or not, is read anew by the next caller.
 */
export function shareReads<T>(read: Read<T>, most = COLD_READS): Read<T> {
  const underWay = new Map<SessionId, Shared<T>>()
  const waitForPlace = createPlaces(most)

  function begin(id: SessionId): Shared<T> {
    const abort = new AbortController()
    const shared = { result: run(), abort, waiting: 0 }
    underWay.set(id, shared)
    return shared

    async function run(): Promise<T> {
      const leave = await waitForPlace()
      try {
        abort.signal.throwIfAborted()
        return await read(id, abort.signal)
      } finally {
        leave()
        forget(id, abort)
      }
    }
  }

  /** A successor of the same id may be under way already. */
  function forget(id: SessionId, abort: AbortController): void {
    if (underWay.get(id)?.abort === abort) underWay.delete(id)
  }

  function leave(id: SessionId, shared: Shared<T>): void {
    shared.waiting -= 1
    if (shared.waiting > 0) return
    forget(id, shared.abort)
    shared.abort.abort()
  }

  return (id, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const shared = underWay.get(id) ?? begin(id)
      shared.waiting += 1
      const onAbort = (): void => {
        leave(id, shared)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      shared.result.then(resolve, reject).finally(() => {
        signal?.removeEventListener('abort', onAbort)
        if (!signal?.aborted) leave(id, shared)
      })
    })
}

/** First come, first served. What is returned gives the place away again. */
function createPlaces(most: number): () => Promise<() => void> {
  let free = most
  const queue: (() => void)[] = []
  const leave = (): void => {
    const next = queue.shift()
    if (next === undefined) free += 1
    else next()
  }
  return async () => {
    if (free > 0) free -= 1
    else await new Promise<void>(resolve => queue.push(resolve))
    return leave
  }
}
