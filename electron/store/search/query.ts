import type { Token } from './ascii-word.ts'
import { tokensOf } from './words.ts'

/** Tokens that stand one after the other. `isPrefix`: of the last one only the beginning is given. */
export interface Phrase {
  readonly tokens: readonly string[]
  readonly isPrefix: boolean
}

/** One thing asked for: any of these ways to write it. */
export type Term = readonly Phrase[]

const MOST_TERMS = 16
const MOST_TOKENS = 64

/**
 * What a person asks for: words, all of which must be there, and phrases in quotes. There is no other syntax: every
 * other sign is text like any other. Empty when there is nothing to look for.
 */
export function parseQuery(text: string): Term[] {
  const terms: Term[] = []
  for (const { 0: found, groups } of text.matchAll(/["“”„](?<quoted>[^"“”„]*)(?:["“”„]|$)|[^\s"“”„]+/gu)) {
    const term = groups?.['quoted'] === undefined ? wordTerm(found) : phraseTerm(groups['quoted'])
    if (term.length > 0 && terms.length < MOST_TERMS) terms.push(term)
  }
  return terms
}

/** The query in the language of FTS5: nothing but quoted tokens, `AND`, `OR` and the star behind a quote. */
export function matchExpression(terms: readonly Term[]): string {
  return terms.map(term => `(${term.map(phraseExpression).join(' OR ')})`).join(' AND ')
}

function phraseExpression({ tokens, isPrefix }: Phrase): string {
  return `"${tokens.join(' ')}"${isPrefix ? ' *' : ''}`
}

/** As written: with the identifier's parts behind it, as a text that holds it has them. */
function phraseTerm(text: string): Term {
  const tokens = [...tokensOf(text)].slice(0, MOST_TOKENS)
  return distinct([phrase(tokens), phrase(tokens.filter(({ kind }) => kind !== 'whole'))])
}

/** An identifier is found in every style it is written in: `user_id`, `userId`, `userid`. */
function wordTerm(text: string): Term {
  const tokens = [...tokensOf(text)].slice(0, MOST_TOKENS)
  const parts = tokens.filter(({ kind }) => kind !== 'whole')
  if (/^[\p{L}\p{N}\p{M}]+$/u.test(text) && tokens[0]?.kind === 'whole') {
    return distinct([phrase(tokens.slice(0, 1)), phrase(parts)])
  }
  const isJoined = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+$/.test(text)
  const joined = isJoined ? [...tokensOf(text.replaceAll(/[_-]/g, '').toLowerCase())].slice(0, 1) : []
  return distinct([phrase(tokens), phrase(parts), phrase(joined)])
}

/**
 * The last character of a run stands alone in a text only where the run ends there. At the end of a query the run may
 * go on: a pair says it all, and a single character is the beginning of one.
 */
function phrase(tokens: readonly Token[]): Phrase {
  const last = tokens.at(-1)
  const texts = tokens.map(({ text }) => text)
  if (last?.kind !== 'last') return { tokens: texts, isPrefix: false }
  const goesOn = tokens.at(-2)?.kind === 'pair'
  return goesOn ? { tokens: texts.slice(0, -1), isPrefix: false } : { tokens: texts, isPrefix: true }
}

function distinct(phrases: readonly Phrase[]): Phrase[] {
  const seen = new Map<string, Phrase>()
  for (const one of phrases) if (one.tokens.length > 0) seen.set(phraseExpression(one), one)
  return [...seen.values()]
}
