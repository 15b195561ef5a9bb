import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { preparedText, tokensOf } from './words.ts'

const words = (text: string) => [...tokensOf(text)].map(token => token.text)

/** What FTS5's `ascii` tokenizer makes of a prepared text. */
function asciiTokenizer(prepared: string): string[] {
  return prepared
    .replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
    .split(/[^0-9a-z\u0080-\uffff]+/)
    .filter(token => token !== '')
}

describe('tokens', () => {
  test.each([
    ['The parser reads', ['the', 'parser', 'reads']],
    ['getUserById', ['getuserbyid', 'get', 'user', 'by', 'id']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['user_id user-id', ['user', 'id', 'user', 'id']],
    ['src/store/thread.ts', ['src', 'store', 'thread', 'ts']],
    ['utf8 sha256sum', ['utf8', 'utf', '8', 'sha256sum', 'sha', '256', 'sum']],
    ['3f2a9c81b7', ['3f2a9c81b7']],
    ['MAX_VALUE', ['max', 'value']],
    ['Café NAÏVE', ['cafe', 'naive']],
    ['naïveParser', ['naiveparser', 'naive', 'parser']],
    ['ＡＢＣ１２', ['abc12', 'abc', '12']],
    ['Ωμέγας', ['ωμεγασ']],
    ['it’s — “done”…', ['it', 's', 'done']],
    ['全文搜索', ['全文', '文搜', '搜索', '索']],
    ['検索エンジン', ['検索', '索エ', 'エン', 'ンジ', 'ジン', 'ン']],
    ['ｶﾞｽ', ['ガス', 'ス']],
    ['한국어 검색', ['한국', '국어', '어', '검색', '색']],
    ['中文abc', ['中文', '文', 'abc']],
    ['𠀀𠀁', ['𠀀𠀁', '𠀁']],
    ['✓️ 👍🏽 —', []],
    ['', []],
  ])('of %s', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  test('keep only the beginning of what is too long to be a word', () => {
    expect(words('x'.repeat(1000))).toEqual(['x'.repeat(64)])
  })

  test('say where they stand', () => {
    const text = '  getUser, 全文搜'
    const places = [...tokensOf(text)].map(({ start, end }) => text.slice(start, end))

    expect(places).toEqual(['getUser', 'get', 'User', '全文', '文搜', '搜'])
  })

  test('point at the whole word where folding changed its length', () => {
    const text = 'a ﬁnal b'
    const [, final] = tokensOf(text)

    expect(final).toMatchObject({ text: 'final', start: 2, end: 6 })
  })
})

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'getUserById',
          'HTTP',
          'utf8',
          '中文',
          '전체',
          'ｶﾞ',
          'é',
          'e\u0301',
          'ß',
          '’',
          '—',
          '_',
          '.',
        ),
        fc.constantFrom(
          ' ',
          '\n',
          '\u0000',
          '"',
          '*',
          '\ud800',
          '😀',
          '½',
          'İ',
          'x'.repeat(70),
          'aB',
          'a1b2c3',
        ),
        fc.string({ unit: 'grapheme-ascii', maxLength: 4 }),
      ),
    )
    .map(parts => parts.join('')),
)

const identifiers = fc
  .array(fc.constantFrom('get', 'Get', 'GET', '7', '42', '_', ' ', 'x'.repeat(30)))
  .map(parts => parts.join(''))

describe('the prepared text', () => {
  test('is ASCII prose itself', () => {
    const prose = 'Each change was checked, and the two that failed were fixed.'

    expect(preparedText(prose)).toBe(prose)
  })

  test('gives the tokenizer exactly the tokens of the text, ASCII or not', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: 'binary-ascii' }), identifiers), text => {
        expect(asciiTokenizer(preparedText(text).toWellFormed())).toEqual(words(text))
      }),
      { numRuns: 2000 },
    )
  })
})
