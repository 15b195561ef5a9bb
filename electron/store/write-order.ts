import { inSlices } from '../slices.ts'

/**
 * Writes are encoded on the main thread, in slices where there is much of it, and handed on in the order in
 * which they were asked for. A short write with nothing before it is handed on at once.
 */
export class WriteOrder {
  #encoding: Promise<void> | null = null

  async submit<E, R>(steps: Generator<void, E>, post: (encoded: E) => Promise<R>): Promise<R> {
    if (this.#encoding !== null)
      return this.#follow(
        this.#encoding.then(() => toEnd(steps)),
        post,
      )
    const run = inSlices(steps)
    return 'done' in run ? post(run.done) : this.#follow(run.later, post)
  }

  /** Resolves when nothing is being encoded any more. */
  async settled(): Promise<void> {
    while (this.#encoding !== null) await this.#encoding
  }

  async #follow<E, R>(encoded: Promise<E>, post: (encoded: E) => Promise<R>): Promise<R> {
    // Boxed: the next write waits for this one to be handed on, not for its answer.
    const posted = encoded.then(value => ({ answer: post(value) }))
    const isOver = (): void => {
      if (this.#encoding === over) this.#encoding = null
    }
    const over = posted.then(isOver, isOver)
    this.#encoding = over
    return (await posted).answer
  }
}

async function toEnd<T>(steps: Generator<void, T>): Promise<T> {
  const run = inSlices(steps)
  return 'done' in run ? run.done : run.later
}
