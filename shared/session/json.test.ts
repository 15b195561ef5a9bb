import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asText, deepFreeze, JsonLoss, lossOf, seal, toWellFormed } from './json.ts'

const anyText = fc.string({ unit: 'binary' }) // lone surrogates among them
const { tree: anyJson } = fc.letrec(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('tree'), { maxKeys: 4 }),
  ),
}))

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const keys = Array.isArray(value) ? [] : Object.keys(value)
  return [...keys, ...Object.values(value).flatMap(textsOf)]
}

describe('making text well-formed', () => {
  it('leaves no lone surrogate in any value or key', () => {
    fc.assert(
      fc.property(anyJson, value => {
        expect(textsOf(toWellFormed(value)).every(text => text.isWellFormed())).toBe(true)
      }),
    )
  })

  it('gives back the very same value when there is none, and is done after one go', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const once = toWellFormed(value)
        expect(toWellFormed(once)).toBe(once)
        if (textsOf(value).every(text => text.isWellFormed())) expect(once).toBe(value)
      }),
    )
  })

  it('never touches what it was given', () => {
    fc.assert(
      fc.property(anyJson, value => {
        deepFreeze(value)
        expect(() => toWellFormed(value)).not.toThrow()
      }),
    )
  })

  it('replaces only what has to be', () => {
    const kept = { deep: ['fine'] }
    const fixed = toWellFormed({ a: 'x\ud800', kept })
    expect(fixed).toEqual({ a: 'x\ufffd', kept })
    expect(fixed.kept).toBe(kept)
  })
})

describe('freezing', () => {
  function isFrozenThrough(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return true
    return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough)
  }

  it('reaches everything a value holds, and changes nothing of it', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const before = structuredClone(value)
        expect(deepFreeze(value)).toBe(value)
        expect(isFrozenThrough(value)).toBe(true)
        expect(value).toEqual(before)
      }),
    )
  })

  it('reaches below what was frozen already', () => {
    const shallow = Object.freeze({ inner: { list: [1] } })
    expect(isFrozenThrough(deepFreeze(shallow))).toBe(true)
  })

  it('ends in cycles and stands deep nesting and long lists', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    expect(Object.isFrozen(deepFreeze(cycle))).toBe(true)
    expect(() => deepFreeze(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)))).not.toThrow()
    expect(() => deepFreeze(Array.from({ length: 300_000 }, () => ({})))).not.toThrow()
  })
})

describe('what JSON would lose', () => {
  it('is nothing exactly when a value comes back as it was', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const back: unknown = JSON.parse(JSON.stringify(value))
        let isSame = true
        try {
          expect(back).toEqual(value)
        } catch {
          isSame = false // that is the question, not a failure
        }
        expect(lossOf(value) === null).toBe(isSame)
      }),
    )
  })

  const cycle: Record<string, unknown> = {}
  cycle['one'] = cycle
  cycle['two'] = cycle
  it.each([
    ['undefined in a field', { a: undefined }, 'undefined'],
    ['a hole in a list', new Array(1), 'undefined'],
    ['a value that is no number', Number.NaN, 'NaN'],
    ['infinity, deep inside', { a: [{ b: -Infinity }] }, '-Infinity'],
    ['minus zero', -0, '-0'],
    ['a big integer', 1n, 'bigint'],
    ['a function', { run: () => 1 }, 'function'],
    ['a date', new Date(0), 'an object of a class'],
    ['a map', new Map(), 'an object of a class'],
    ['a symbol key', { [Symbol('s')]: 1 }, 'a symbol key'],
    ['a cycle, however branched', cycle, 'a cycle, or nested too deeply'],
    ['nesting past 2,000', JSON.parse('['.repeat(2001) + ']'.repeat(2001)), 'a cycle, or nested too deeply'],
  ])('is named for %s', (_, value, loss) => {
    expect(lossOf(value)).toBe(loss)
  })

  it('is nothing for objects without a prototype, odd keys and nesting of 2,000', () => {
    expect(lossOf(Object.assign(Object.create(null), { a: 1 }))).toBeNull()
    expect(lossOf(JSON.parse('{"__proto__":{"toString":1}}'))).toBeNull()
    expect(lossOf(JSON.parse('['.repeat(2000) + ']'.repeat(2000)))).toBeNull()
  })
})

describe('reading a text out of anything', () => {
  it('never throws, also for objects that cannot be made text', () => {
    expect(asText({ toString: 1, valueOf: null })).toBe('')
    fc.assert(fc.property(fc.anything(), value => typeof asText(value) === 'string'))
  })
})

describe('sealing', () => {
  it('is checking, repairing and freezing in one', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const expected = lossOf(value) === null ? toWellFormed(structuredClone(value)) : 'refused'
        const isSame = lossOf(value) === null && toWellFormed(value) === value

        const sealed = sealOf(value)

        expect(sealed).toEqual(expected)
        expect(JSON.stringify(deepFreeze(sealed))).toBe(JSON.stringify(sealed))
        if (isSame) expect(sealed).toBe(value)
      }),
    )
  })

  it('freezes everything it gives back, repaired or not', () => {
    const sealed = seal({ fine: [{ a: 1 }], repaired: [{ b: ['x\ud800'] }], 'key\udfff': {} })

    expect(sealed).toEqual({ fine: [{ a: 1 }], repaired: [{ b: ['x\ufffd'] }], 'key\ufffd': {} })
    expect(objectsOf(sealed).every(Object.isFrozen)).toBe(true)
  })

  it('refuses what JSON would lose, a cycle among it', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = [cycle]
    for (const value of [{ a: undefined }, [Number.NaN], { deep: [-0] }, new Map(), cycle, { [Symbol()]: 1 }])
      expect(() => seal(value)).toThrow(JsonLoss)
  })

  it('keeps a key that names a prototype a key', () => {
    const sealed = seal(JSON.parse('{"__proto__":{"x":"\\ud800"}}'))

    expect(JSON.stringify(sealed)).toBe('{"__proto__":{"x":"\ufffd"}}')
  })
})

function sealOf(value: unknown): unknown {
  try {
    return seal(value)
  } catch (error) {
    if (error instanceof JsonLoss) return 'refused'
    throw error
  }
}

function objectsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsOf)]
}
