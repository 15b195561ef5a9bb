import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameJson } from './same-json.ts'

describe('the same JSON', () => {
  it('is what is written alike, whatever the order of fields', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(isSameJson(value, JSON.parse(JSON.stringify(value)))).toBe(true)
      }),
      { examples: [[{ a: [1, { b: null }] }]] },
    )
    expect(isSameJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true)
  })

  it.each([
    [1, '1'],
    [null, {}],
    [[], {}],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: { b: [1] } }, { a: { b: [2] } }],
  ])('is not %j and %j', (one, other) => {
    expect(isSameJson(one, other)).toBe(false)
    expect(isSameJson(other, one)).toBe(false)
  })

  it('takes a field that is undefined as one that is not there', () => {
    expect(isSameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true)
    expect(isSameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true)
  })
})
