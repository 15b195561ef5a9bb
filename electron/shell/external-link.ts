const OUTSIDE = new Set(['http:', 'https:', 'mailto:'])
const LONGEST_ADDRESS = 8_000

/**
 * The address to hand to the system, `null` for one that is not handed over. The system starts a program by the
 * scheme alone, so only those that open a browser or a mail program pass, written the way they were understood.
 */
export function externalTarget(address: string): string | null {
  // Control characters and blanks at the ends are dropped by parsers, differently by each.
  if (address.length > LONGEST_ADDRESS || hasControlOrEdgeBlank(address) || !URL.canParse(address))
    return null
  const url = new URL(address)
  if (!OUTSIDE.has(url.protocol)) return null
  if (url.username !== '' || url.password !== '') return null // "https://bank.example@evil.example" reads as the bank
  return url.href
}

function hasControlOrEdgeBlank(text: string) {
  return text !== text.trim() || [...text].some(character => character < ' ' || character === '\u007f')
}
