import fc from 'fast-check'
import { expect, it } from 'vitest'
import { oneLine } from './one-line.ts'

it('makes every run of whitespace one space, and leaves none at the ends', () => {
  const spaced = fc.array(fc.constantFrom('a', 'é', ' ', '  ', '\n', '\t', '\u00a0', '\u2028'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(spaced, parts => {
      const text = parts.join('')

      expect(oneLine(text, 1000)).toBe(text.replaceAll(/\s+/g, ' ').trim())
    }),
  )
})

it('looks no further than it was told', () => {
  expect(oneLine('one  two three', 8)).toBe('one two')
})
