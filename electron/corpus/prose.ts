import type { Random } from './random.ts'

const WORDS = (
  'the parser reads every token once and keeps a table of open scopes so that a missing brace is named where it ' +
  'was opened, not where the file ends; tests cover empty input, nested blocks, comments inside strings and a ' +
  'file of ten thousand lines. Each change was checked against the fixtures, and the two that failed were fixed ' +
  'by giving the lexer its own buffer. Next: measure, then write down what was found.'
).split(' ')
const PROSE_LENGTH = 32_768

/** Made-up text, cut from one long run of words: making it costs next to nothing. */
export function createProse(random: Random) {
  let text = ''
  while (text.length < PROSE_LENGTH) text += `${random.pick(WORDS)} `
  return {
    /** `length` characters, beginning at a word. */
    text(length: number): string {
      const room = Math.max(0, PROSE_LENGTH - length - 100)
      const start = text.indexOf(' ', random.below(room + 1)) + 1
      return text.slice(start, start + length)
    },
    words(count: number): string {
      return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
    },
  }
}
export type Prose = ReturnType<typeof createProse>
