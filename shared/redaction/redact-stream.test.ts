import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ORDINARY_TEXTS, run, SECRET_TEXTS } from './fixtures/corpus.ts'
import { createTextRedactor } from './redact-stream.ts'
import { redactText } from './redact-text.ts'

function inPieces(pieces: readonly string[], longest?: number): string {
  const redactor = createTextRedactor(longest === undefined ? {} : { longest })
  return pieces.map(piece => redactor.push(piece)).join('') + redactor.end()
}

describe('redacting a text that comes in pieces', () => {
  it.each(SECRET_TEXTS)('finds a secret however it is cut: %j', (text, ...secrets) => {
    const around = `${'before '.repeat(400)}\n${text}\n${'behind '.repeat(400)}`

    for (const size of [1, 7, 64, 1000]) {
      const pieces = around.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const redacted = inPieces(pieces, 1024)

      expect(secrets.filter(secret => redacted.includes(secret))).toEqual([])
    }
  })

  it('gives what the whole text would have given', () => {
    const line = fc.oneof(
      fc.constantFrom(...SECRET_TEXTS.map(([text]) => text)),
      fc.constantFrom(...ORDINARY_TEXTS),
    )
    const cuts = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), cuts, (lines, sizes) => {
        const text = lines.join('\n')
        const pieces: string[] = []
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length]!
          pieces.push(text.slice(at, at + size))
          at += size
        }

        expect(inPieces(pieces, 2048)).toBe(redactText(text))
      }),
      { numRuns: 150 },
    )
  })

  it('holds no more than it has to, whatever comes', () => {
    const redactor = createTextRedactor({ longest: 1000 })
    let given = 0
    for (let piece = 0; piece < 2000; piece++) {
      given += redactor.push('plain words of a log, '.repeat(5)).length
      expect((piece + 1) * 110 - given).toBeLessThan(3000)
    }
  })

  it('hides all of a secret that is longer than it can hold', () => {
    const parts = Array.from({ length: 50 }, (_, index) => run(300 + index))

    const redacted = inPieces(['Authorization: Bearer ', ...parts, ' and then words'], 1000)

    expect(parts.filter(part => redacted.includes(part.slice(0, 20)))).toEqual([])
    expect(redacted).toBe('Authorization: Bearer [redacted: bearer token] and then words')
  })
})
