import { findSpans } from './find-spans.ts'
import { markOf } from './mark.ts'
import type { Span } from './rule.ts'

export interface RedactionOptions {
  /** Secrets known by their value: keys of providers, the token of this run. Shorter ones than six characters are not looked for. */
  readonly known?: readonly string[]
}

/** A mark may uncover another secret beside it: two looks are usual, three rare. Bounded, so that time stays linear. */
const MOST_LOOKS = 20

/**
 * The text with a mark (`[redacted: bearer token]`) in place of everything that is, or looks like, a secret. Ordinary
 * hashes, ids and encoded blocks stay. Never throws; linear; doing it again changes nothing; nothing but marks is added.
 */
export function redactText(text: string, { known = [] }: RedactionOptions = {}): string {
  let rest = text
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const spans = findSpans(rest, known)
    if (spans.length === 0) return rest
    rest = withMarks(rest, spans)
  }
  return rest
}

function withMarks(text: string, spans: readonly Span[]): string {
  let marked = ''
  let at = 0
  for (const { start, end, kind } of spans) {
    marked += text.slice(at, start) + markOf(kind)
    at = end
  }
  return marked + text.slice(at)
}
