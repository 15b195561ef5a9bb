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

/** What a UTF-16 unit is within a word. */
export const OTHER = 1
export const DIGIT = 2
export const UPPER = 3
export const LOWER = 4
/** A word character beyond ASCII. */
export const BEYOND = 5

export const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit >= 97 && unit <= 122) return LOWER
  if (unit >= 65 && unit <= 90) return UPPER
  return unit >= 48 && unit <= 57 ? DIGIT : OTHER
})

/** The tokens of one word without separators: itself, then its parts where it has several. */
export function asciiTokens(word: string, start: number): Token[] {
  return wordTokens(word, index => start + index)
}

/** The same as a text of tokens, for ASCII alone and without regular expressions: most identifiers come this way. */
export function asciiTokenText(word: string): string {
  const { length } = word
  if (length > LONGEST_WORD) return word.slice(0, LONGEST_WORD)
  let parts = ''
  let count = 0
  let borders = 0
  let start = 0
  let last = ASCII_KINDS[word.charCodeAt(0)]
  for (let at = 1; at <= length; at += 1) {
    const kind = at === length ? OTHER : ASCII_KINDS[word.charCodeAt(at)]
    if (kind === last) continue
    // The last capital before a small letter begins a part with it.
    const end = last === UPPER && kind === LOWER ? at - 1 : at
    if (end > start) {
      parts += ` ${word.slice(start, end)}`
      count += 1
      start = end
    }
    if (at < length && (kind === DIGIT || last === DIGIT)) borders += 1
    last = kind
  }
  const isWhole = count < 2 || count > MOST_PARTS || borders > MOST_DIGIT_BORDERS
  return isWhole ? word : word + parts
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
