import { asciiTokens, isAsciiWordChar, LONGEST_WORD, type Token, WORD } from './ascii-word.ts'
import { foldedTokens } from './fold.ts'

/*
 * What a search finds. A text becomes tokens: words in lower case without accents; of an identifier also its parts;
 * of a script without spaces overlapping pairs of characters. The index is given `preparedText`, in which FTS5's
 * `ascii` tokenizer finds exactly these tokens: it takes every character beyond ASCII as part of a word, so that
 * this file alone decides what a word is, for texts and for queries.
 */

/** The tokens of a text, in order. The precise way, and the slow one. */
export function* tokensOf(text: string, from = 0): Generator<Token, void> {
  const words = new RegExp(WORD, 'gu')
  words.lastIndex = from
  for (let found = words.exec(text); found !== null; found = words.exec(text)) {
    yield* isAscii(found[0]) ? asciiTokens(found[0], found.index) : foldedTokens(found[0], found.index)
  }
}

const SEPARATOR = 1
const WORD_CHAR = 2
/** Of UTF-16 units beyond ASCII, found out as they are met. Surrogates count as word characters here. */
const classes = new Uint8Array(0x10000)
const SINGLE_WORD_CHAR = /^[\p{L}\p{N}\p{M}\p{Cs}]$/u

function isWordUnit(unit: number): boolean {
  if (unit < 128) return isAsciiWordChar(unit)
  const known = classes[unit]
  if (known !== 0) return known === WORD_CHAR
  const isWord = SINGLE_WORD_CHAR.test(String.fromCharCode(unit))
  classes[unit] = isWord ? WORD_CHAR : SEPARATOR
  return isWord
}

/**
 * The text as FTS5's `ascii` tokenizer is to read it. ASCII prose comes back as it is: only words that are more than
 * one token, or not ASCII, cost anything.
 */
export function preparedText(text: string): string {
  let made = ''
  let copied = 0
  const { length } = text
  for (let at = 0; at < length; ) {
    const unit = text.charCodeAt(at)
    if (!isWordUnit(unit)) {
      at += 1
      if (unit < 128) continue
      made += `${text.slice(copied, at - 1)} `
      copied = at
      continue
    }
    const start = at
    let isPlain = true
    let hasBorder = false
    let last = OTHER
    for (let next = unit; isWordUnit(next); next = text.charCodeAt(at)) {
      if (next >= 128) isPlain = false
      const kind = next < 97 ? (next < 65 ? DIGIT : UPPER) : LOWER
      if (kind !== last && last !== OTHER && !(last === UPPER && kind === LOWER && at - start === 1)) {
        hasBorder = true
      }
      last = kind
      at += 1
      if (at === length) break
    }
    if (isPlain && !hasBorder && at - start <= LONGEST_WORD) continue
    const word = text.slice(start, at)
    made += text.slice(copied, start)
    for (const token of isPlain ? asciiTokens(word, 0) : tokensOf(word)) made += ` ${token.text}`
    made += ' '
    copied = at
  }
  return copied === 0 ? text : made + text.slice(copied)
}

const OTHER = 0
const DIGIT = 1
const UPPER = 2
const LOWER = 3

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false
  return true
}
