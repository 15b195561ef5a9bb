export interface SingleFlight<K> {
  /**
   * Makes the call, one at a time per key. Asked for again meanwhile, it is made once more, after the one that runs,
   * for all who asked. Settles as the call does that began after it was asked for.
   */
  ask(key: K): Promise<void>
  /** Aborts the call of a key. Whoever waits for it is let go; nothing more is called for them. */
  cancel(key: K): void
}

interface Flight {
  readonly ending: AbortController
  done: Promise<void>
  next: Promise<void> | null
}

/** `call` takes nothing over once `signal` is aborted. */
export function createSingleFlight<K>(call: (key: K, signal: AbortSignal) => Promise<void>): SingleFlight<K> {
  const flights = new Map<K, Flight>()

  function start(key: K): Promise<void> {
    const ending = new AbortController()
    const flight: Flight = { ending, next: null, done: Promise.resolve() }
    // Known before the call begins: what it tells may ask for the same again.
    flights.set(key, flight)
    flight.done = call(key, ending.signal).finally(landed)
    return flight.done

    function landed(): void {
      if (flights.get(key) === flight && flight.next === null) flights.delete(key)
    }
  }

  return {
    ask: key => {
      const flight = flights.get(key)
      if (flight === undefined) return start(key)
      const again = () => (flight.ending.signal.aborted ? undefined : start(key))
      // Whether the one before worked is its caller's business.
      flight.next ??= flight.done.then(again, again)
      return flight.next
    },
    cancel: key => {
      flights.get(key)?.ending.abort()
      flights.delete(key)
    },
  }
}
