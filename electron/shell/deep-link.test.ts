import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDeepLink, parseDeepLink } from './deep-link.ts'

describe('a deep link', () => {
  it('names a session', () => {
    expect(parseDeepLink('espalier://session/01890a5d-ac96-774b-bcce-b302099a8057')).toBe(
      '01890a5d-ac96-774b-bcce-b302099a8057',
    )
    expect(parseDeepLink('espalier://session/a.b_c-1/')).toBe('a.b_c-1')
  })

  it.each([
    'espalier://session/',
    'espalier://session/..',
    'espalier://session/../x',
    'espalier://session/%2e%2e',
    'espalier://session/a/b',
    'espalier://session/a?start=1',
    'espalier://session/a#x',
    'espalier://session/--home',
    'espalier://session/a b',
    'espalier://session/a\0',
    'espalier://session/a\nespalier://session/b',
    'espalier://Session/a',
    'espalier://other/a',
    'espalier:session/a',
    ' espalier://session/a',
    'https://session/a',
    '--x=espalier://session/a',
    `espalier://session/${'x'.repeat(10_000)}`,
  ])('is refused as %j', link => {
    expect(parseDeepLink(link)).toBeNull()
  })

  it('gives nothing but well-formed ids, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
        const id = parseDeepLink(`espalier://session/${text}`)
        expect(id === null || /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)).toBe(true)
      }),
    )
  })

  it('is found among arguments, the last good one', () => {
    const args = [
      'espalier',
      '--x',
      'espalier://session/a',
      'espalier://session/b',
      'espalier://session/../c',
    ]

    expect(findDeepLink(args)).toBe('b')
    expect(findDeepLink(['espalier', '--home', '/x'])).toBeNull()
  })
})
