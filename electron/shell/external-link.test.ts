import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { externalTarget } from './external-link.ts'

describe('a link that leaves the window', () => {
  it.each([
    ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
    ['HTTP://EXAMPLE.org', 'http://example.org/'],
    ['mailto:someone@example.org?subject=x', 'mailto:someone@example.org?subject=x'],
    ['https://exämple.org/', 'https://xn--exmple-cua.org/'],
  ])('is opened outside: %s', (address, target) => {
    expect(externalTarget(address)).toBe(target)
  })

  it.each([
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'smb://host/share',
    '\\\\host\\share',
    '//host/share',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vscode://file/x',
    'ms-msdt:/id',
    'espalier://session/a',
    'app://espalier/index.html',
    'about:blank',
    ' https://example.org',
    'https://example.org\n',
    'java\nscript:alert(1)',
    'ht\ttps://example.org',
    '\u0000https://example.org',
    'https://bank.example@evil.example/',
    'https://user:password@example.org/',
    'https://',
    'example.org',
    '',
    `https://example.org/${'x'.repeat(9_000)}`,
  ])('is not handed to the system: %j', address => {
    expect(externalTarget(address)).toBeNull()
  })

  it('is never of another scheme, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), address => {
        const target = externalTarget(address)
        expect(target === null || /^(https?:\/\/|mailto:)/.test(target)).toBe(true)
      }),
    )
  })
})
