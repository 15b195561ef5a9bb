/** A stretch of text, or one character that cannot be seen or reorders what is read. */
export interface TextPiece {
  readonly text: string
  /** Its name for people: "right-to-left override U+202E". */
  readonly hidden: string | null
}

const NAMES: Readonly<Record<number, string>> = {
  173: 'soft hyphen',
  1564: 'Arabic letter mark',
  6158: 'Mongolian vowel separator',
  8203: 'zero-width space',
  8204: 'zero-width non-joiner',
  8205: 'zero-width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'end of direction change',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'end of isolate',
  65279: 'zero-width no-break space',
}

// Format characters, controls other than tab and line feed, look-alike spaces, fillers, tags and variation selectors.
const HIDDEN =
  /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u3000\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|(?![\t\n])\p{Cc}/gu

/** Cuts `text` at every hidden character. */
export function revealHidden(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), hidden: null })
    pieces.push({ text: found[0], hidden: nameOf(found[0]) })
    from = found.index + found[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: null })
  return pieces
}

export function countHidden(text: string): number {
  return text.match(HIDDEN)?.length ?? 0
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const name = NAMES[code]
  return name === undefined ? point : `${name} ${point}`
}
