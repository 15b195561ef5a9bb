import { describe, expect, it } from 'vitest'
import { answers, changesOf, person, viewOf } from '../fixtures/unit-log.ts'
import { tokensOf, type UsageState, usage } from './usage.ts'

const used = (reported: unknown, more: object = {}) => answers('x', { usage: reported, ...more })
const own = (...log: Parameters<typeof viewOf>[1]) => (viewOf(usage, log) as UsageState).own

describe('usage', () => {
  it('adds up what each request reported', () => {
    const log = [
      used({ input: 10, output: 2, cacheRead: 5, costUsd: 0.5 }),
      used({ input: 1, output: 1, cacheWrite: 3, reasoning: 1, costUsd: 0.25 }),
    ]
    expect(own(...log)).toEqual({
      input: 11,
      output: 3,
      cacheRead: 5,
      cacheWrite: 3,
      reasoning: 1,
      costUsd: 0.75,
      requests: 2,
      unreported: 0,
    })
    expect(tokensOf(own(...log))).toBe(22)
  })

  it('adds what a request that was cut short was probably charged, and says that it reported nothing', () => {
    const log = [used({ input: 10, output: 2 }), used({ input: 40, output: 1, estimated: true })]
    expect(own(...log)).toMatchObject({ input: 50, output: 3, requests: 2, unreported: 1 })
  })

  it('keeps what is inherited apart', () => {
    const log = [used({ input: 100, output: 1 }), used({ input: 7, output: 1 })]
    expect(viewOf(usage, log, { seedLength: 1 })).toMatchObject({
      inherited: { input: 100, requests: 1 },
      own: { input: 7, requests: 1 },
    })
  })

  it('counts a request that reported nothing as unreported, not as free', () => {
    expect(own(used({ input: 10, output: 2, costUsd: 0.5 }), used(null))).toMatchObject({
      requests: 2,
      unreported: 1,
      input: 10,
    })
  })

  it('has no cost as soon as one price is unknown, and none before the first request', () => {
    expect(own()).toMatchObject({ costUsd: null })
    expect(own(used({ input: 1, output: 1, costUsd: 0 }))).toMatchObject({ costUsd: 0 })
    const unknown = used({ input: 1, output: 1 })
    expect(own(used({ input: 1, output: 1, costUsd: 1 }), unknown)).toMatchObject({ costUsd: null })
    expect(own(unknown, used({ input: 1, output: 1, costUsd: 1 }))).toMatchObject({ costUsd: null })
  })

  it('says how much the last reported request put into the window, caches included, and to which model', () => {
    const model = { provider: 'p', model: 'fast' }
    const log = [used({ input: 10, output: 99, cacheRead: 5, cacheWrite: 1 }, { model }), used(null)]
    expect(viewOf(usage, log)).toMatchObject({ context: 16, model: 'fast' })
  })

  it('takes no number that is none, and stays one that JSON can hold', () => {
    expect(own(used({ input: -5, output: 'many', cacheRead: null, costUsd: -1 }))).toMatchObject({
      input: 0,
      output: 0,
      cacheRead: 0,
      costUsd: null,
    })
    const huge = used({ input: 1e308, output: 1, costUsd: 1e308 })
    expect(own(huge, huge)).toMatchObject({
      input: Number.MAX_SAFE_INTEGER,
      costUsd: Number.MAX_SAFE_INTEGER,
    })
  })

  it('is changed by answers only', () => {
    expect(changesOf(usage, [person('x'), used(null)])).toEqual([1])
  })
})
