import type { Token } from './ascii-word.ts'
import type { Phrase, Term } from './query.ts'
import { tokensOf } from './words.ts'

/** What a list shows of a hit: one line. */
export interface Excerpt {
  readonly text: string
  /** What was asked for, in `text`: begin and end in UTF-16 units, in order, apart from each other. */
  readonly ranges: readonly (readonly [start: number, end: number])[]
}

const BEFORE = 60
const LENGTH = 240
/** A word is longer than this only when it is data. */
const RUN_UP = 200

/** The part of `text` around the first thing that was asked for. Its beginning, where nothing is found. */
export function excerptOf(text: string, terms: readonly Term[]): Excerpt {
  const phrases = terms.flat()
  const first = firstMatch(text, phrases)
  const from = wordStart(text, Math.max(0, (first ?? 0) - BEFORE), first ?? 0)
  const to = Math.min(text.length, from + LENGTH)
  const found = matchesIn(text, phrases, from, to)
  return onOneLine(text, from, wholeCharacters(text, to), found)
}

function firstMatch(text: string, phrases: readonly Phrase[]): number | null {
  const near = likelyPlace(text, phrases)
  const found = near === null ? undefined : matches(text, phrases, near).next().value
  return (found ?? matches(text, phrases, 0).next().value)?.[0] ?? null
}

/** Where some token seems to stand first: it saves reading all before it. */
function likelyPlace(text: string, phrases: readonly Phrase[]): number | null {
  const lower = text.toLowerCase()
  const places = phrases.map(({ tokens: [token = ''] }) => lower.indexOf(token))
  const first = Math.min(...places.map(place => (place === -1 ? Number.POSITIVE_INFINITY : place)))
  return Number.isFinite(first) ? wordStart(text, Math.max(0, first - RUN_UP), first) : null
}

function matchesIn(text: string, phrases: readonly Phrase[], from: number, to: number): [number, number][] {
  const found: [number, number][] = []
  for (const [start, end] of matches(text, phrases, from)) {
    if (start >= to) break
    found.push([start, Math.min(end, to)])
  }
  return found
}

/** Where the phrases stand, by their beginnings, from the word at `from` on. */
function* matches(text: string, phrases: readonly Phrase[], from: number): Generator<[number, number], void> {
  const longest = Math.max(1, ...phrases.map(({ tokens }) => tokens.length))
  const window: Token[] = []
  const look = function* (): Generator<[number, number], void> {
    for (const phrase of phrases) {
      if (!standsAt(window, phrase)) continue
      const [first] = window
      const last = window[phrase.tokens.length - 1]
      if (first !== undefined && last !== undefined) yield [first.start, Math.max(first.end, last.end)]
    }
    window.shift()
  }
  for (const token of tokensOf(text, from)) {
    window.push(token)
    if (window.length === longest) yield* look()
  }
  while (window.length > 0) yield* look()
}

function standsAt(window: readonly Token[], { tokens, isPrefix }: Phrase): boolean {
  if (tokens.length > window.length) return false
  return tokens.every((token, index) => {
    const there = window[index]?.text ?? ''
    return isPrefix && index === tokens.length - 1 ? there.startsWith(token) : there === token
  })
}

/** The beginning of the first word at or behind `at`, but not behind `before`. */
function wordStart(text: string, at: number, before: number): number {
  if (at === 0) return 0
  const space = text.slice(at, before).search(/[\s,.;:/()[\]{}"'、。，]/)
  return space === -1 ? wholeCharacters(text, at) : at + space + 1
}

/** Not between the halves of a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}

function onOneLine(text: string, from: number, to: number, found: readonly [number, number][]): Excerpt {
  let line = from > 0 ? '…' : ''
  /** For each unit of the part, where it stands on the line. */
  const places = new Uint32Array(to - from + 1)
  let isSpace = true
  for (let at = from; at < to; at += 1) {
    places[at - from] = line.length
    const character = text[at] ?? ''
    const wasSpace = isSpace
    isSpace = /\s/.test(character)
    if (!isSpace) line += character
    else if (!wasSpace) line += ' '
  }
  places[to - from] = line.length
  const end = line.trimEnd().length
  const ranges: [number, number][] = []
  for (const [start, stop] of found) {
    const range: [number, number] = [places[start - from] ?? 0, Math.min(places[stop - from] ?? end, end)]
    const last = ranges.at(-1)
    if (last !== undefined && range[0] <= last[1]) last[1] = Math.max(last[1], range[1])
    else if (range[0] < range[1]) ranges.push(range)
  }
  return { text: `${line.slice(0, end)}${to < text.length ? '…' : ''}`.toWellFormed(), ranges }
}
