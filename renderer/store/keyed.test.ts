import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedKeys, withKey, withKeys, withoutKeys } from './keyed.ts'

type Step =
  | { readonly kind: 'set'; readonly keys: readonly string[]; readonly value: number }
  | { readonly kind: 'delete'; readonly keys: readonly string[] }

/** Some have the same hash in their first bits, so that leaves divide more than once. */
const key = fc.nat({ max: 3000 }).map(number => `session-${number}`)
const keys = fc.array(key, { maxLength: 300, size: 'max' })
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), keys, value: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('delete' as const), keys }),
)
const steps = fc.array(step, { maxLength: 20 })

function taken(map: ReadonlyMap<string, number>, one: Step): ReadonlyMap<string, number> {
  return one.kind === 'set'
    ? withKeys(
        map,
        one.keys.map(id => [id, one.value] as const),
      )
    : withoutKeys(map, one.keys)
}

function takenPlainly(map: ReadonlyMap<string, number>, one: Step): ReadonlyMap<string, number> {
  const next = new Map(map)
  for (const id of one.keys) {
    if (one.kind === 'set') next.set(id, one.value)
    else next.delete(id)
  }
  return next
}

const sorted = (map: ReadonlyMap<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

describe('a map that is never changed', () => {
  it('holds what a plain map holds after the same steps, and every map of before holds what it held', () => {
    fc.assert(
      fc.property(steps, taking => {
        const maps: ReadonlyMap<string, number>[] = [new Map()]
        const plain: ReadonlyMap<string, number>[] = [new Map()]
        for (const one of taking) {
          maps.push(taken(maps.at(-1) as ReadonlyMap<string, number>, one))
          plain.push(takenPlainly(plain.at(-1) as ReadonlyMap<string, number>, one))
        }
        for (const [index, map] of maps.entries()) {
          const twin = plain[index] as ReadonlyMap<string, number>
          expect(map.size).toBe(twin.size)
          expect(sorted(map)).toEqual(sorted(twin))
          for (const [id, value] of twin) expect(map.get(id)).toBe(value)
          expect(map.has('nobody')).toBe(false)
          expect(map.get('nobody')).toBeUndefined()
        }
      }),
    )
  })

  it('says exactly which keys differ between any two', () => {
    fc.assert(
      fc.property(steps, steps, (first, then) => {
        const before = first.reduce(taken, new Map<string, number>() as ReadonlyMap<string, number>)
        const after = then.reduce(taken, before)
        const all = new Set([...before.keys(), ...after.keys()])
        const expected = [...all].filter(
          id => before.get(id) !== after.get(id) || before.has(id) !== after.has(id),
        )

        const changed = changedKeys(before, after)

        expect([...changed].sort()).toEqual(expected.sort())
        expect(new Set(changed).size).toBe(changed.length)
      }),
    )
  })

  it('is the same map when nothing about it changes', () => {
    const map = withKeys(new Map<string, number>(), [
      ['a', 1],
      ['b', 2],
    ])
    expect(withKey(map, 'a', 1)).toBe(map)
    expect(withoutKeys(map, ['c'])).toBe(map)
    expect(changedKeys(map, map)).toEqual([])
  })

  it('keeps keys of one hash apart', () => {
    // FNV-1a gives these two the same 32 bits.
    const map = withKeys(new Map<string, number>(), [
      ['costarring', 1],
      ['liquid', 2],
    ])
    expect(map.get('costarring')).toBe(1)
    expect(withoutKeys(map, ['liquid']).get('costarring')).toBe(1)
  })
})
