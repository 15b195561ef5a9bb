import type { Rule, Span } from './rule.ts'

const KIND = 'private key'
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END_HERE = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** Lines of base64, apart by line breaks or their escapes: what is left of a key whose end or beginning was cut off. */
const CUT_BODY = /(?:(?:\s|\\+[nrt]){1,8}[A-Za-z0-9+/]{16,100}={0,2}(?=\s|\\|"|'|$)){0,800}/y
const CUT_LINE = /(?:^|[\s"'nrt])[A-Za-z0-9+/]{16,100}={0,2}(?:\s|\\+[nrt]){1,8}$/

/**
 * PEM blocks of private keys, on many lines or with `\n` escapes on one. A block without its end, or an end without
 * its beginning, is what a shortened output leaves: the lines of base64 beside it go too.
 */
export const privateKeyRule: Rule = text => {
  if (!text.includes('PRIVATE KEY')) return []
  const spans: Span[] = []
  for (const match of text.matchAll(BEGIN)) {
    const start = match.index
    if (start < (spans.at(-1)?.end ?? 0)) continue
    const body = start + match[0].length
    const next = text.indexOf('-----', body)
    spans.push({ from: start, start, end: endMark(text, next) ?? endOfBody(text, body), kind: KIND })
  }
  const ends = new Set(spans.map(({ end }) => end))
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length
    if (ends.has(end)) continue
    const start = startOfBody(text, match.index)
    spans.push({ from: start, start, end, kind: KIND })
  }
  return spans
}

/** Where the end mark that begins at `at` is over; `null` when there is none. */
function endMark(text: string, at: number): number | null {
  if (at < 0) return null
  END_HERE.lastIndex = at
  const match = END_HERE.exec(text)
  return match === null ? null : at + match[0].length
}

function endOfBody(text: string, from: number): number {
  CUT_BODY.lastIndex = from
  const match = CUT_BODY.exec(text)
  return from + (match?.[0].length ?? 0)
}

/** Line by line upwards, as long as they are base64. */
function startOfBody(text: string, to: number): number {
  let start = to
  for (let lines = 0; lines < 800; lines++) {
    const line = CUT_LINE.exec(text.slice(Math.max(0, start - 130), start))
    if (line === null) return start
    start -= line[0].length
    if (/^[\s"'nrt]/.test(line[0])) start += 1
  }
  return start
}
