import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idOfName, nameOf } from './folder-name.ts'

const sign = fc.constantFrom(...'abzABZ019._-')
const id = fc
  .tuple(fc.constantFrom(...'aZ9'), fc.string({ unit: sign, maxLength: 127 }))
  .map(([first, rest]) => first + rest)

test('two ids never share a name, not even where case does not count (8.13.1)', () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      expect(nameOf(one).toLowerCase() === nameOf(other).toLowerCase()).toBe(one === other)
    }),
    { numRuns: 2000 },
  )
})

test('any text has a name that stays in its folder, is short and ends well', () => {
  fc.assert(
    fc.property(fc.oneof(id, fc.string(), fc.string({ unit: 'binary' })), text => {
      const name = nameOf(text)
      expect(name).toMatch(/^[a-z0-9_=-]{1,130}$/)
      expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/)
      expect([text, null]).toContain(idOfName(name))
    }),
    { numRuns: 2000 },
  )
})

test('a name tells the id it stands for, unless it is a hash', () => {
  expect(['con', 'CON', 'a.b.', 'UUID-7', 'com1', 'x'].map(nameOf)).toEqual([
    'con=1',
    '=c=o=n',
    'a=0b=0',
    '=u=u=i=d-7',
    'com1=1',
    'x',
  ])
  fc.assert(
    fc.property(id, text => {
      const name = nameOf(text)
      expect(idOfName(name)).toBe(name.includes('=2') ? null : text)
    }),
  )
  expect(nameOf('../x')).toMatch(/^=2[0-9a-f]{64}$/)
  expect(nameOf('\ud800')).not.toBe(nameOf('\ud801'))
  expect(nameOf('\ud800')).not.toBe(nameOf('\ufffd'))
  expect(nameOf('A'.repeat(128)).length).toBeLessThan(130)
})
