import { describe, expect, it, vi } from 'vitest'
import { type ConnectionState, keepOpen } from './keep-open.ts'
import { type Line, RefusedError } from './line.ts'

function fakeLine() {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const line: Line = {
    ended,
    close: () => end('closed'),
    port: {
      postMessage: () => {},
      onMessage: { addListener: () => {} },
      onDisconnect: { addListener: () => {} },
    },
  }
  return { line, end }
}

type Attempt = Error | ReturnType<typeof fakeLine>

function start(attempts: Attempt[]) {
  const states: ConnectionState[] = []
  let asked = 0
  const kept = keepOpen({
    async open() {
      asked += 1
      const next = attempts.shift()
      if (!next) throw new Error('nothing left')
      if (next instanceof Error) throw next
      return next.line
    },
    onLine: () => {},
    onState: state => states.push(state),
    firstDelayMs: 10,
    longestDelayMs: 40,
  })
  return { kept, states, asked: () => asked, told: () => states.map(state => state.status) }
}

describe('a line that is kept open', () => {
  it('opens another one when it ends, and says why', async () => {
    const [one, two] = [fakeLine(), fakeLine()]
    const { states, told, kept } = start([one, two])
    await vi.waitFor(() => expect(told()).toEqual(['open']))

    one.end('The workbench is closing.')

    await vi.waitFor(() => expect(told()).toEqual(['open', 'lost', 'open']))
    expect(states[1]).toMatchObject({ reason: 'The workbench is closing.', attempt: 1 })
    kept.close()
  })

  it('waits longer after each failure, up to a limit, and starts over after a success', async () => {
    vi.useFakeTimers({ now: 0 })
    const line = fakeLine()
    const { states, kept } = start([...Array.from({ length: 5 }, (_, i) => new Error(`${i}`)), line])

    await vi.advanceTimersByTimeAsync(1_000)
    line.end('again')
    await vi.advanceTimersByTimeAsync(0)

    const waits = states.flatMap<number | string>(state =>
      state.status === 'lost' ? [state.attempt] : [state.status],
    )
    expect(waits).toEqual([1, 2, 3, 4, 5, 'open', 1])
    expect(states.flatMap(state => (state.status === 'lost' ? [state.retryAt] : []))).toEqual([
      10, 30, 70, 110, 150, 1_010,
    ])
    kept.close()
    vi.useRealTimers()
  })

  it('does not try again by itself where it was refused, only when told', async () => {
    vi.useFakeTimers()
    const { told, asked, kept } = start([new RefusedError('another run'), fakeLine()])
    await vi.advanceTimersByTimeAsync(60_000)
    expect([told(), asked()]).toEqual([['refused'], 1])

    kept.retry()
    await vi.advanceTimersByTimeAsync(0)

    expect(told()).toEqual(['refused', 'open'])
    kept.close()
    vi.useRealTimers()
  })

  it('stays closed once closed, without a word', async () => {
    const one = fakeLine()
    const { kept, told, asked } = start([one, fakeLine()])
    await vi.waitFor(() => expect(told()).toEqual(['open']))

    kept.close()
    await new Promise(resolve => setTimeout(resolve, 50))

    expect([told(), asked()]).toEqual([['open'], 1])
  })
})
