import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { childLog } from './child-log.ts'
import { createProse } from './prose.ts'
import { createRandom } from './random.ts'

const parent = toSessionId('parent')
const reasons = [{ kind: 'completed' }, { kind: 'aborted', by: 'user' }, null] as const

function logOf(
  seed: number,
  mode: 'one-shot' | 'continuable',
  events: number,
  reason: (typeof reasons)[number],
) {
  const random = createRandom(seed)
  return childLog(
    { parent, mode, label: 'L', startMs: 1000, events, reason },
    { random, prose: createProse(random) },
  )
}

describe('a log of the corpus', () => {
  it('has exactly the events asked for, all of them such as Espalier writes, in turns that end', () => {
    const mode = fc.constantFrom('one-shot' as const, 'continuable' as const)
    fc.assert(
      fc.property(
        fc.nat(),
        mode,
        fc.integer({ min: 1, max: 400 }),
        fc.constantFrom(...reasons),
        (seed, kind, n, reason) => {
          const log = logOf(seed, kind, n, reason)

          expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: n }, (_, seq) => seq))
          expect(log.every(event => readEvent(event) !== null)).toBe(true)
          const starts = log.filter(({ type }) => type === 'turn/start').length
          const ends = log.filter(({ type }) => type === 'turn/end').length
          expect(starts - ends).toBe(reason === null && starts > 0 ? 1 : 0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is the same for the same seed, and holds about 430 bytes an event', () => {
    const log = logOf(7, 'continuable', 200, { kind: 'completed' })

    expect(log).toEqual(logOf(7, 'continuable', 200, { kind: 'completed' }))
    const bytes = Buffer.byteLength(JSON.stringify(log)) / log.length
    expect(bytes).toBeGreaterThan(390)
    expect(bytes).toBeLessThan(470)
  })
})
