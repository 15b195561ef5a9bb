import { type Token, WORD, wordTokens } from './ascii-word.ts'

/** Accents of letters, and the marks that choose how a character looks. Not those of kana, which change the sound. */
const DROPPED_MARKS = /[\u0300-\u036f\ufe00-\ufe0f]/g

/** Scripts that put no spaces between words, or, as Korean, glue endings to them. */
const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]'
/** Within a word: a run of such a script, or of anything else. Digits are everyone's. */
const RUN = new RegExp(`(?:(?!\\p{N})${UNSPACED})+|(?:(?!(?!\\p{N})${UNSPACED})[\\s\\S])+`, 'gu')
const IS_UNSPACED = new RegExp(`^(?!\\p{N})${UNSPACED}`, 'u')
const HAS_CONTENT = /[\p{L}\p{N}]/u

/** The tokens of one word that is not ASCII alone: folded to what people type for it. */
export function foldedTokens(word: string, start: number): Token[] {
  const folded = fold(word)
  // Where folding changed the length, a character's own place is lost: the whole word stands for it.
  const isSameLength = folded.length === word.length
  const end = start + word.length
  const tokens: Token[] = []
  for (const { 0: piece, index: pieceAt } of folded.matchAll(new RegExp(WORD, 'gu'))) {
    for (const { 0: run, index: runAt } of piece.matchAll(RUN)) {
      if (!HAS_CONTENT.test(run)) continue
      const from = pieceAt + runAt
      const found = IS_UNSPACED.test(run)
        ? pairs(run, index => start + from + index)
        : wordTokens(run, index => start + from + index)
      tokens.push(...(isSameLength ? found : found.map(token => ({ ...token, start, end }))))
    }
  }
  return tokens
}

function fold(word: string): string {
  return word.normalize('NFKC').normalize('NFD').replaceAll(DROPPED_MARKS, '').normalize('NFC')
}

/** Every character begins a token: with the next one, the last one alone. */
function pairs(run: string, place: (index: number) => number): Token[] {
  const characters = [...run.toLowerCase()]
  const tokens: Token[] = []
  let at = 0
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1]
    const text = next === undefined ? character : character + next
    const kind = next === undefined ? 'last' : 'pair'
    tokens.push({ text, start: place(at), end: place(at + text.length), kind })
    at += character.length
  }
  return tokens
}
