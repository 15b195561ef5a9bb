export interface Token {
  readonly text: string
  /** Where it stands in the original, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /**
   * `whole`: its parts follow. `part`: of the whole before it. `pair`: of two characters. `last`: the last character
   * of a run of pairs.
   */
  readonly kind: 'word' | 'whole' | 'part' | 'pair' | 'last'
}

/** A run of word characters. Marks belong to the letter before them. */
export const WORD = '[\\p{L}\\p{N}\\p{M}]+'

/** Of a longer word only this much is kept: it is data, not language. */
export const LONGEST_WORD = 64
/** An identifier of more parts is no identifier, nor is one that changes between letters and digits more often. */
const MOST_PARTS = 8
const MOST_DIGIT_BORDERS = 2

/** `getUser`, `HTTPServer`, `utf8`: a hump, the last capital before a small letter, a change to or from digits. */
const PART = /\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}|\p{N}+/gu

export function isAsciiWordChar(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57)
}

/** The tokens of one word without separators: itself, then its parts where it has several. */
export function asciiTokens(word: string, start: number): Token[] {
  return wordTokens(word, index => start + index)
}

/** `place` gives where a character of `word` stands in the original. */
export function wordTokens(word: string, place: (index: number) => number): Token[] {
  const kept = word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD).toWellFormed() : word
  const whole = { text: lower(kept), start: place(0), end: place(word.length) }
  const parts = word.length > LONGEST_WORD ? [] : [...kept.matchAll(PART)]
  if (parts.length < 2 || parts.length > MOST_PARTS || digitBorders(parts) > MOST_DIGIT_BORDERS) {
    return [{ ...whole, kind: 'word' }]
  }
  return [
    { ...whole, kind: 'whole' },
    ...parts.map(({ 0: part, index }) => {
      return {
        text: lower(part),
        start: place(index),
        end: place(index + part.length),
        kind: 'part' as const,
      }
    }),
  ]
}

/** Both small sigmas are one letter. */
function lower(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

function digitBorders(parts: readonly RegExpExecArray[]): number {
  let borders = 0
  for (let index = 1; index < parts.length; index += 1) {
    if (isNumber(parts[index]) !== isNumber(parts[index - 1])) borders += 1
  }
  return borders
}

function isNumber(part: RegExpExecArray | undefined): boolean {
  return part !== undefined && /^\p{N}/u.test(part[0])
}
