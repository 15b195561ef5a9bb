import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { terminalLines } from '../../../markdown/terminal-text.ts'
import {
  byteAt,
  type HeldLines,
  lineAt,
  lineCount,
  PART_BYTES,
  rangeAfter,
  rangeAround,
  rangeBefore,
  withAfter,
  withBefore,
} from './held-lines.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const textOf = (held: HeldLines) =>
  Array.from({ length: lineCount(held) }, (_, index) =>
    lineAt(held, index)
      .map(({ text }) => text)
      .join(''),
  )
const empty = (bytes: Uint8Array): HeldLines => ({ size: bytes.length, parts: [] })

function readOn(held: HeldLines, bytes: Uint8Array) {
  const range = rangeAfter(held)
  if (range === null) throw new Error('at the end')
  return withAfter(held, range.from, bytes.subarray(range.from, range.from + range.length))
}
function readBack(held: HeldLines, bytes: Uint8Array) {
  const range = rangeBefore(held)
  if (range === null) throw new Error('at the start')
  return withBefore(held, range.from, bytes.subarray(range.from, range.from + range.length))
}
const numbered = (count: number) =>
  encode(Array.from({ length: count }, (_, index) => `line ${index} ${'木'.repeat(index % 40)}\n`).join(''))

describe('lines of an output that are held', () => {
  it('are those of the whole text, read on part by part', () => {
    const bytes = numbered(9000)
    let held = empty(bytes)
    while (rangeAfter(held) !== null) held = readOn(held, bytes).held

    expect(held.parts.length).toBeGreaterThan(3)
    expect(textOf(held)).toEqual(new TextDecoder().decode(bytes).trimEnd().split('\n'))
  })

  it('are the same when they are read backwards', () => {
    const bytes = numbered(9000)
    const around = rangeAround(bytes.length, bytes.length)
    let held = withAfter(empty(bytes), around.from, bytes.subarray(around.from)).held
    while (rangeBefore(held) !== null) held = readBack(held, bytes).held

    expect(textOf(held)).toEqual(new TextDecoder().decode(bytes).trimEnd().split('\n'))
  })

  it('stay few, and say how many went or came above', () => {
    const bytes = numbered(200_000)
    let held = empty(bytes)
    let dropped = 0
    while (rangeAfter(held) !== null) {
      const next = readOn(held, bytes)
      held = next.held
      dropped += next.dropped
      expect(held.parts.length).toBeLessThanOrEqual(24)
    }
    expect(textOf(held)[0]).toMatch(new RegExp(`^line ${dropped} `))
    expect(lineCount(held) + dropped).toBe(200_000)

    const first = textOf(held)[0]
    const back = readBack(held, bytes)
    expect(textOf(back.held)[back.added]).toBe(first)
    expect(back.held.parts.length).toBeLessThanOrEqual(24)
  })

  it('begin at a line wherever the reader jumps to', () => {
    const bytes = numbered(30_000)
    const { from, length } = rangeAround(bytes.length, 700_001)

    const { held } = withAfter(empty(bytes), from, bytes.subarray(from, from + length))

    expect(textOf(held)[0]).toMatch(/^line \d+ /)
    expect(byteAt(held, 0)).toBeGreaterThanOrEqual(700_001)
    expect(byteAt(held, 0)).toBeLessThan(700_200)
  })

  it('goes on in the colour of the part before', () => {
    const bytes = encode(`\u001b[1m\u001b[31m${'x'.repeat(PART_BYTES - 20)}\nred\nstill\u001b[0m\nplain`)
    const held = readOn(readOn(empty(bytes), bytes).held, bytes).held

    expect(lineAt(held, lineCount(held) - 3)).toEqual([{ text: 'red', hue: 'red', strong: true }])
    expect(lineAt(held, lineCount(held) - 1)).toEqual([{ text: 'plain' }])
  })

  it('breaks a line without end into rows, never inside a character', () => {
    const bytes = encode('🌳'.repeat(300_000))
    let held = empty(bytes)
    while (rangeAfter(held) !== null) held = readOn(held, bytes).held

    const rows = textOf(held)
    expect(Math.max(...rows.map(row => row.length))).toBeLessThanOrEqual(2001)
    expect(rows.every(row => row.isWellFormed())).toBe(true)
    expect(rows.join('')).toBe('🌳'.repeat(300_000))
  })

  it('takes anything a program may print', () => {
    const noise = fc.uint8Array({ maxLength: 3000 })
    fc.assert(
      fc.property(noise, fc.nat(3000), (bytes, jump) => {
        const { from, length } = rangeAround(bytes.length, jump)
        const { held } = withAfter(empty(bytes), from, bytes.subarray(from, from + length))

        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
        expect(textOf(held).join('\n')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }),
    )
  })

  it('collapses 10,000 carriage returns, as a terminal would', () => {
    const bytes = encode(`${Array.from({ length: 10_000 }, (_, n) => `\r${n / 100} %`).join('')}\ndone\n`)

    expect(textOf(readOn(empty(bytes), bytes).held)).toEqual(['99.99 %', 'done'])
    expect(terminalLines(new TextDecoder().decode(bytes))).toHaveLength(3)
  })
})
