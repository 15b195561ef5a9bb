import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ORDINARY_TEXTS, run, SECRET_TEXTS } from './fixtures/corpus.ts'
import { MARKS } from './mark.ts'
import { redactText } from './redact-text.ts'

describe('redacting a text', () => {
  it('is tried on enough texts of both kinds', () => {
    expect(SECRET_TEXTS.length).toBeGreaterThanOrEqual(60)
    expect(ORDINARY_TEXTS.length).toBeGreaterThanOrEqual(60)
  })

  it.each(SECRET_TEXTS)('takes the secret out of %j', (text, ...secrets) => {
    const redacted = redactText(text)

    expect(secrets.filter(secret => redacted.includes(secret))).toEqual([])
    expect(redacted).toMatch(MARKS)
  })

  it.each(ORDINARY_TEXTS.map(text => [text]))('leaves %j alone', text => {
    expect(redactText(text)).toBe(text)
  })

  it.each([
    ['Authorization: Bearer abc.def.ghi-123', 'Authorization: Bearer [redacted: bearer token]'],
    ['{"api_key": "abcdef"}', '{"api_key": "[redacted: API key]"}'],
    ['https://me:hunter2@example.org/x', 'https://me:[redacted: password]@example.org/x'],
    ['http://127.0.0.1:1/#token=abcdef', 'http://127.0.0.1:1/#token=[redacted: URL token]'],
    ['PASSWORD=hunter2 npm start', 'PASSWORD=[redacted: password] npm start'],
    ['Cookie: sid=abc; theme=dark\r\nHost: x', 'Cookie: [redacted: cookie]\r\nHost: x'],
    ['  password: hunter2 # old', '  password: [redacted: password] # old'],
  ])('says what it was, and keeps what stands around it: %s', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  it('finds values that are known, as they are and as JSON and addresses write them', () => {
    const known = ['plain "quoted" value', 'tiny']

    const text =
      'a plain "quoted" value, {"x":"plain \\"quoted\\" value"}, plain%20%22quoted%22%20value, tiny'

    expect(redactText(text, { known })).toBe(
      'a [redacted: known secret], {"x":"[redacted: known secret]"}, [redacted: known secret], tiny',
    )
  })

  const piece = fc.oneof(
    fc.constantFrom(...SECRET_TEXTS.map(([text]) => text)),
    fc.constantFrom(...ORDINARY_TEXTS),
    fc.constantFrom(
      ...' \n\t"\'`=:;&?@/\\{}[]<>-_.',
      '\\n',
      '\\"',
      '[redacted: token]',
      'password',
      'token',
      'Bearer ',
    ),
    fc.string({ maxLength: 20, unit: 'binary' }),
  )
  const texts = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(texts, text => {
        const once = redactText(text)
        expect(redactText(once)).toBe(once)
      }),
      { numRuns: 500 },
    )
  }, 60_000)

  it('adds nothing but marks', () => {
    fc.assert(
      fc.property(texts, text => {
        const rest = redactText(text).split(MARKS)
        let at = 0
        for (const part of rest) {
          const found = text.indexOf(part, at)
          expect(found).toBeGreaterThanOrEqual(at)
          at = found + part.length
        }
      }),
      { numRuns: 500 },
    )
  })

  /*
   * Every repetition in a pattern is bounded or ends where no other match can begin, so the work grows with the text.
   * A pattern that is not would take sixteen times as long for four times the text. The smallest of some runs is
   * compared, and short times, which say nothing, are taken for equal.
   */
  it.each([
    'sk-',
    'eyJ',
    'eyJaaaaaaaa.',
    'a',
    '-',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n',
    '-----END PRIVATE KEY-----',
    'AAAAAAAAAAAAAAAAAAAAAAAAA\n',
    '://a:',
    '://',
    'password="',
    "token='",
    'token=\\"',
    'password:',
    'password ',
    '<password>',
    'authorization: ',
    'Authorization: Bearer ',
    'bearer ',
    'basic ',
    'cookie: a=',
    ' -b a=',
    ' -u a:',
    'login a password ',
    '?token=',
    '&sig=',
    'AKIA',
    `AKIA${'A'.repeat(16)} `,
    'secret_',
    '\\',
    '\\"',
    '"',
    '\n',
    ' ',
    '[redacted: token]',
    'token=[redacted: token] ',
    'ghp_',
    'x@',
    'M',
    'pass = ',
    'let token: A',
  ])('takes time that grows with the text only, for repeated %j', { timeout: 60_000 }, unit => {
    const short = fastest(unit.repeat(Math.ceil(250_000 / unit.length)))
    const long = fastest(unit.repeat(Math.ceil(1_000_000 / unit.length)))

    expect(long / Math.max(short, 60)).toBeLessThan(11)
  })

  function fastest(text: string): number {
    return Math.min(
      ...[1, 2, 3].map(() => {
        const before = performance.now()
        redactText(text, { known: [run(20)] })
        return performance.now() - before
      }),
    )
  }
})
