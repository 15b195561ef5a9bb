import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ORDINARY_TEXTS, run, SECRET_TEXTS } from './fixtures/corpus.ts'
import { redactJson } from './redact-json.ts'

describe('redacting JSON', () => {
  it('takes out what stands under the name of a secret, and keeps every name', () => {
    const value = {
      authorization: run(20),
      password: 'justletters',
      dbPassword: 1234,
      'x-api-key': 'abc',
      apiKey: 'abc',
      accessToken: 'abcd',
      cookies: { theme: 'dark', sid: 'abc' },
      client_secret: ['one', 'two'],
      headers: [{ name: 'Authorization', value: 'Bearer abc' }],
      env: [{ key: 'DB_PASSWORD', value: 'swordfish' }],
    }

    expect(redactJson(value)).toEqual({
      authorization: '[redacted: authorization header]',
      password: '[redacted: password]',
      dbPassword: '[redacted: password]',
      'x-api-key': '[redacted: API key]',
      apiKey: '[redacted: API key]',
      accessToken: '[redacted: token]',
      cookies: { theme: '[redacted: cookie]', sid: '[redacted: cookie]' },
      client_secret: ['[redacted: secret]', '[redacted: secret]'],
      headers: [{ name: 'Authorization', value: '[redacted: authorization header]' }],
      env: [{ key: 'DB_PASSWORD', value: '[redacted: password]' }],
    })
  })

  it('returns the same value when nothing in it is secret, numbers and counts of tokens included', () => {
    const value = {
      usage: { input: 1200, output: 80, maxTokens: 4096, tokens: 12 },
      id: '01890a5d-ac96-774b-bcce-b302099a8057',
      callId: 'call_1',
      token: null,
      password: '',
      secret: '<secret>',
      providerMetadata: { anthropic: { signature: run(200) } },
      texts: ORDINARY_TEXTS,
    }

    expect(redactJson(value)).toBe(value)
  })

  it.each(SECRET_TEXTS)('looks into every string: %j', (text, ...secrets) => {
    const redacted = JSON.stringify(redactJson({ content: [{ type: 'text', text }] }))

    expect(secrets.filter(secret => redacted.includes(secret))).toEqual([])
  })

  it('hides a name that is a secret, and keeps two of them apart', () => {
    const known = ['first-known-value', 'other-known-value']

    expect(redactJson({ [known[0]!]: 1, [known[1]!]: 2, plain: 3 }, { known })).toEqual({
      '[redacted: known secret]': 1,
      '[redacted: known secret] 2': 2,
      plain: 3,
    })
  })

  it('takes values that nest as deep as a log may hold', () => {
    let value: unknown = 'password=hunter2'
    for (let depth = 0; depth < 2000; depth++) value = [value]

    expect(JSON.stringify(redactJson(value))).toContain('[redacted: password]')
  })

  it('never throws, and changes nothing the second time', () => {
    const leaf = fc.oneof(
      fc.constantFrom(...SECRET_TEXTS.map(([text]) => text)),
      fc.string(),
      fc.double(),
      fc.constant(null),
    )
    const key = fc.oneof(
      fc.constantFrom('password', 'token', 'name', 'value', '__proto__', 'toString'),
      fc.string(),
    )
    const { value } = fc.letrec(tie => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(key, tie('value'))),
    }))

    fc.assert(
      fc.property(value, json => {
        const once = redactJson(json)
        expect(redactJson(once)).toEqual(once)
      }),
    )
  })
})
