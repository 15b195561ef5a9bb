import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { alignColumns, cutTo, plainLine, plainText } from './plain-text.ts'

const hostile = fc.string({ unit: 'binary', maxLength: 200 })

describe('plain text', () => {
  it('never holds a control character but line breaks and tabs, whatever comes in', () => {
    fc.assert(
      fc.property(hostile, text => {
        expect(plainText(text).replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        expect(plainLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      }),
    )
  })

  it('keeps what was meant to be read', () => {
    expect(plainText('\u001b[31mred\u001b[0m\r\nand 对齐\tblue')).toBe('red\nand 对齐\tblue')
    expect(plainLine(' two\n\n lines ')).toBe('two lines')
  })

  it('cuts to the width of a terminal, not to a number of characters', () => {
    expect(cutTo(6, '对齐文本')).toBe('对齐…')
    fc.assert(fc.property(hostile, text => stringWidth(cutTo(10, text)) <= 10))
  })

  it('aligns columns of wide and narrow characters', () => {
    const lines = alignColumns([
      ['a', '对齐', 'x'],
      ['bcd', 'e', ''],
    ])

    expect(lines).toEqual(['a    对齐  x', 'bcd  e'])
  })
})
