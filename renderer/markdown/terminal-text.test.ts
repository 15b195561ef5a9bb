// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are the subject
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBinary, terminalLines } from './terminal-text.ts'

function shown(output: string): string {
  return terminalLines(output)
    .map(line => line.map(piece => piece.text).join(''))
    .join('\n')
}

describe('terminal output', () => {
  it('keeps colours, across lines', () => {
    expect(terminalLines('\u001b[1;31mbad\nstill\u001b[0m ok')).toEqual([
      [{ text: 'bad', hue: 'red', strong: true }],
      [{ text: 'still', hue: 'red', strong: true }, { text: ' ok' }],
    ])
  })

  it('takes the nearest hue for palette and true colours', () => {
    expect(
      terminalLines('\u001b[38;5;196ma\u001b[38;2;10;200;20mb\u001b[90mc')[0]?.map(piece => piece.hue),
    ).toEqual(['red', 'green', 'muted'])
  })

  it('drops titles, links, clipboard writes, cursor moves and bells', () => {
    const hostile =
      '\u001b]0;owned\u0007a\u001b]8;;http://evil\u001b\\b\u001b]52;c;AAAA\u0007c\u001b[2J\u001b[10;10Hd\u0007\u0008e\u009b31mf\u001bPq\u001b\\g'
    expect(shown(hostile)).toBe('abcdefg')
  })

  it('collapses progress that writes over its own line', () => {
    expect(shown('10%\r50%\r100%\r\ndone\r\n')).toBe('100%\ndone\n')
  })

  it('does not swallow what follows an unfinished sequence', () => {
    expect(shown('a\u001b]0;title without end\nnext')).toBe('a\nnext')
  })

  it('knows binary from text', () => {
    expect(isBinary('PNG\0\u0001')).toBe(true)
    expect(isBinary('\u001b[31mred\u001b[0m text\n')).toBe(false)
  })

  it('never lets a control character through and never adds a character', () => {
    const noise = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\u001b[', '\u001b]', '\u001b', 'm', '31', ';', '\r', '\n', '\u0007', '\u009b'),
      ),
    )
    fc.assert(
      fc.property(noise, parts => {
        const input = parts.join('')
        const text = shown(input)
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        expect(text.length).toBeLessThanOrEqual(input.length)
      }),
      { numRuns: 500 },
    )
  })

  it('leaves printable text as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), lines => {
        const text = lines.join('\n').replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
        expect(shown(text)).toBe(text)
      }),
    )
  })
})
