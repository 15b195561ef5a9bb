/** A set of listeners of one kind. One that throws is reported and never stops the next. */
export class Listeners<T extends readonly unknown[]> {
  readonly #set = new Set<(...args: T) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** @returns the function that ends the subscription. */
  add(listener: (...args: T) => void): () => void {
    this.#set.add(listener)
    return () => this.#set.delete(listener)
  }

  tell(...args: T): void {
    for (const listener of [...this.#set]) {
      try {
        listener(...args)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
