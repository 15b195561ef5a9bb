/** A piece of a text that must not be shown. `from` is where what gave it away begins, such as the name before a value. */
export interface Span {
  readonly from: number
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** Finds spans of one kind, in order and apart. Pure, never throws, and linear in the length of the text. */
export type Rule = (text: string) => readonly Span[]

interface PatternOptions {
  readonly kind: string
  /**
   * Global. What is found is the secret; a group `lead` before it stays. Linear: repetitions are bounded, or end
   * where no other match can begin, so that no character is looked at again and again.
   */
  readonly pattern: RegExp
  /** One of these is in every match: texts without them are passed over quickly. */
  readonly hints?: readonly string[]
  readonly accept?: (secret: string) => boolean
}

export function patternRule({ kind, pattern, hints, accept = () => true }: PatternOptions): Rule {
  return text => {
    if (hints !== undefined && !hints.some(hint => text.includes(hint))) return []
    const spans: Span[] = []
    for (const match of text.matchAll(pattern)) {
      const start = match.index + (match.groups?.['lead']?.length ?? 0)
      const end = match.index + match[0].length
      if (accept(text.slice(start, end))) spans.push({ from: match.index, start, end, kind })
    }
    return spans
  }
}

/** A word, a name and prose have none; nearly every key and token has one. */
export function hasDigit(text: string): boolean {
  return /\d/.test(text)
}

/**
 * What stands for a secret and is none: a variable, a template's hole, stars, "your-key-here", a mark of an earlier
 * redaction.
 */
const PLACEHOLDER =
  /^(?:\$\{|\$\(|\$[A-Za-z_]\w*$|%[A-Za-z_]+%|<[^<>]*>?$|\{\{|\{[A-Za-z_][\w.]*\}$|\[redacted: [A-Za-z ]{1,40}\]$|\[hidden\]$|[*•.…xX]{3,}$|your[-_ ]|(?:my|the)[-_](?:key|token|secret|password)\b|(?:null|none|nil|undefined|true|false)$)/i

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value)
}
