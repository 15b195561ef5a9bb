import { describe, expect, it } from 'vitest'
import { createSingleFlight } from './single-flight.ts'

/** Calls that end when the test says so. */
function calls() {
  const made: { key: string; signal: AbortSignal; end: () => void; fail: (error: Error) => void }[] = []
  const flights = createSingleFlight<string>(
    (key, signal) =>
      new Promise((resolve, reject) => made.push({ key, signal, end: () => resolve(), fail: reject })),
  )
  return { made, flights }
}
const settle = () => new Promise(resolve => setTimeout(resolve))

describe('a single flight', () => {
  it('makes one call per key, whoever asks', () => {
    const { made, flights } = calls()
    void flights.ask('a')
    void flights.ask('a')
    void flights.ask('b')
    expect(made.map(({ key }) => key)).toEqual(['a', 'b'])
  })

  it('makes one more call after it for all who asked meanwhile, and answers them with that one', async () => {
    const { made, flights } = calls()
    const answered: string[] = []
    void flights.ask('a').then(() => answered.push('first'))
    void flights.ask('a').then(() => answered.push('second'))
    void flights.ask('a').then(() => answered.push('third'))

    made[0]?.end()
    await settle()

    expect(answered).toEqual(['first'])
    expect(made).toHaveLength(2)
    made[1]?.end()
    await settle()
    expect(answered).toEqual(['first', 'second', 'third'])
    expect(made).toHaveLength(2)
  })

  it('calls again for those who wait when the call before fails', async () => {
    const { made, flights } = calls()
    const first = flights.ask('a').catch(({ message }: Error) => message)
    const second = flights.ask('a')

    made[0]?.fail(new Error('no answer'))
    expect(await first).toBe('no answer')
    await settle()

    made[1]?.end()
    await second
    expect(made).toHaveLength(2)
  })

  it('starts afresh once it has landed', async () => {
    const { made, flights } = calls()
    const first = flights.ask('a')
    made[0]?.end()
    await first
    void flights.ask('a')
    expect(made).toHaveLength(2)
  })

  it('aborts the call that is given up, and calls nothing more for those who waited', async () => {
    const { made, flights } = calls()
    const first = flights.ask('a')
    const second = flights.ask('a')

    flights.cancel('a')
    made[0]?.end()
    await Promise.all([first, second])

    expect(made.map(({ signal }) => signal.aborted)).toEqual([true])
  })

  it('does not mix a call made after giving up with the one before', async () => {
    const { made, flights } = calls()
    void flights.ask('a')
    flights.cancel('a')
    const again = flights.ask('a')

    made[0]?.end()
    await settle()
    void flights.ask('a')

    expect(made.map(({ signal }) => signal.aborted)).toEqual([true, false])
    made[1]?.end()
    await again
    expect(made).toHaveLength(3)
  })
})
