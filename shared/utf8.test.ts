import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { restOfCharacter, unfinishedBytes, utf8Size } from './utf8.ts'

const encode = (text: string) => new TextEncoder().encode(text)

describe('borders of characters', () => {
  it('sees where a character is cut', () => {
    const tree = encode('a🌳')

    expect([1, 2, 3, 4, 5].map(end => unfinishedBytes(tree.subarray(0, end)))).toEqual([0, 1, 2, 3, 0])
    expect([1, 2, 3, 4, 5].map(at => restOfCharacter(tree, at))).toEqual([0, 3, 2, 1, 0])
  })

  it('holds nothing back that will never be a character', () => {
    expect(unfinishedBytes(Uint8Array.of(0xff, 0xfe))).toBe(0)
    expect(unfinishedBytes(Uint8Array.of(0xc0))).toBe(0)
    expect(unfinishedBytes(Uint8Array.of(0x80, 0x80, 0x80, 0x80))).toBe(0)
    expect(restOfCharacter(Uint8Array.of(0xe6, 0x41), 1)).toBe(0)
    expect(restOfCharacter(Uint8Array.of(0x41, 0x80), 1)).toBe(0)
  })

  it('counts bytes without making them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(utf8Size(text.toWellFormed())).toBe(encode(text).length)
      }),
    )
  })

  it('cuts any text anywhere into pieces that are text by themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, where) => {
        const bytes = encode(text.toWellFormed())
        const at = where % (bytes.length + 1)
        const head = bytes.subarray(0, at - unfinishedBytes(bytes.subarray(0, at)))
        const tail = bytes.subarray(at + restOfCharacter(bytes, at))
        const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

        expect(() => [strict.decode(head), strict.decode(tail)]).not.toThrow()
      }),
    )
  })
})
