import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLine } from './parse-line.ts'

const parse = (text: string) => parseLine(Buffer.from(text))

describe('a line of a JSONL file', () => {
  it('is bad, never an error, when it is garbage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        expect(['record', 'blank', 'bad']).toContain(parseLine(Buffer.from(bytes)).kind)
      }),
    )
  })

  it.each(['[1]', '"x"', 'null', '7', '{"a":'])('must be an object: %s', text => {
    expect(parse(text).kind).toBe('bad')
  })

  it('may end in CR or be blank', () => {
    expect(parse('{"a":1}\r')).toEqual({ kind: 'record', value: { a: 1 } })
    expect(parse(' \r').kind).toBe('blank')
  })

  it('loses lone surrogates, −0 and numbers that are none', () => {
    const parsed = parse('{"a":"x\\ud800y","b":-0,"c":1e999,"d":"\\ud83d\\ude00","\\udc00":1}')
    expect(parsed).toEqual({ kind: 'record', value: { a: 'x\ufffdy', b: 0, c: null, d: '😀', '\ufffd': 1 } })
    expect(JSON.stringify(parsed)).not.toContain('-0')
    expect(parsed.kind === 'record' && Object.is(parsed.value['b'], 0)).toBe(true)
  })

  it('is refused when it nests too deep to be handled', () => {
    expect(parse(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`).kind).toBe('bad')
    expect(parse(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`).kind).toBe('bad')
    expect(parse(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`).kind).toBe('record')
  })
})
