import {
  ASCII_KINDS,
  asciiTokens,
  asciiTokenText,
  BEYOND,
  LONGEST_WORD,
  LOWER,
  OTHER,
  type Token,
  UPPER,
  WORD,
} from './ascii-word.ts'
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

/** Of UTF-16 units beyond ASCII, found out as they are met. Surrogates count as word characters here. */
const kindsBeyondAscii = new Uint8Array(0x10000)
const UNKNOWN = 0
const SINGLE_WORD_CHAR = /^[\p{L}\p{N}\p{M}\p{Cs}]$/u

function kindBeyondAscii(unit: number): number {
  const known = kindsBeyondAscii[unit] ?? UNKNOWN
  if (known !== UNKNOWN) return known
  const kind = SINGLE_WORD_CHAR.test(String.fromCharCode(unit)) ? BEYOND : OTHER
  kindsBeyondAscii[unit] = kind
  return kind
}

/**
 * The text as FTS5's `ascii` tokenizer is to read it. ASCII prose comes back as it is: only words that are more than
 * one token, or not ASCII, cost anything.
 */
export function preparedText(text: string): string {
  const { length } = text
  if (length <= scratch.length && encoder.encodeInto(text, scratch).written === length)
    return preparedAscii(text)
  return preparedAnyText(text)
}

const encoder = new TextEncoder()
/** A text in UTF-8, which is as long as the text itself where all of it is ASCII. Bytes are read faster than strings. */
const scratch = new Uint8Array(64 * 1024)

/** What `scratch` holds. */
function preparedAscii(text: string): string {
  const { length } = text
  let made = ''
  let copied = 0
  for (let at = 0; at < length; at += 1) {
    let last = ASCII_KINDS[scratch[at] ?? 0] ?? OTHER
    if (last === OTHER) continue
    const start = at
    let hasBorder = false
    for (at += 1; at < length; at += 1) {
      const kind = ASCII_KINDS[scratch[at] ?? 0] ?? OTHER
      if (kind === last) continue
      if (kind === OTHER) break
      if (last !== UPPER || kind !== LOWER || at - start > 1) hasBorder = true
      last = kind
    }
    if (!hasBorder && at - start <= LONGEST_WORD) continue
    made += `${text.slice(copied, start)} ${asciiTokenText(text.slice(start, at))} `
    copied = at
  }
  return copied === 0 ? text : made + text.slice(copied)
}

function preparedAnyText(text: string): string {
  let made = ''
  let copied = 0
  const { length } = text
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at)
    let kind = unit < 128 ? (ASCII_KINDS[unit] ?? OTHER) : kindBeyondAscii(unit)
    if (kind === OTHER) {
      if (unit < 128) continue
      made += `${text.slice(copied, at)} `
      copied = at + 1
      continue
    }
    const start = at
    let isPlain = true
    let hasBorder = false
    for (let last = kind; ; last = kind) {
      if (kind === BEYOND) isPlain = false
      at += 1
      if (at === length) break
      const next = text.charCodeAt(at)
      kind = next < 128 ? (ASCII_KINDS[next] ?? OTHER) : kindBeyondAscii(next)
      if (kind === OTHER) break
      if (kind !== last && (last !== UPPER || kind !== LOWER || at - start > 1)) hasBorder = true
    }
    // Back to the last unit of the word: what ended it is looked at next.
    if (!isPlain || hasBorder || at - start > LONGEST_WORD) {
      made += `${text.slice(copied, start)} ${isPlain ? asciiTokenText(text.slice(start, at)) : joined(text.slice(start, at))} `
      copied = at
    }
    at -= 1
  }
  return copied === 0 ? text : made + text.slice(copied)
}

function joined(word: string): string {
  let made = ''
  for (const token of tokensOf(word)) made += ` ${token.text}`
  return made
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false
  return true
}
