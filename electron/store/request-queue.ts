import type { Request } from './wire.ts'

/**
 * What the thread has yet to do. Writes go first: what a person did becomes durable before anyone's listing,
 * and a read asked for after a write sees it. Each kind keeps its order.
 */
export class RequestQueue {
  readonly #isWrite: (method: string) => boolean
  readonly #writes = new Map<number, Request>()
  readonly #reads = new Map<number, Request>()

  constructor(isWrite: (method: string) => boolean) {
    this.#isWrite = isWrite
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.#reads.size === 0
  }

  add(request: Request): void {
    const queue = this.#isWrite(request.method) ? this.#writes : this.#reads
    queue.set(request.id, request)
  }

  /** One that is under way is no longer here. */
  cancel(id: number): void {
    this.#reads.delete(id)
    this.#writes.delete(id)
  }

  /** Those at the head of the waiting writes that `isUrgent` says, at most `most`. */
  takeUrgent(isUrgent: (method: string) => boolean, most: number): Request[] {
    const waiting = [...this.#writes.values()]
    const end = waiting.findIndex(({ method }) => !isUrgent(method))
    return takeFirst(this.#writes, Math.min(end === -1 ? waiting.length : end, most))
  }

  /** All waiting writes, at most `mostWrites`, else the next read. Empty when nothing waits. */
  take(mostWrites: number): Request[] {
    return this.#writes.size > 0 ? takeFirst(this.#writes, mostWrites) : takeFirst(this.#reads, 1)
  }
}

function takeFirst(queue: Map<number, Request>, most: number): Request[] {
  const taken: Request[] = []
  for (const [id, request] of queue) {
    if (taken.length === most) break
    queue.delete(id)
    taken.push(request)
  }
  return taken
}
