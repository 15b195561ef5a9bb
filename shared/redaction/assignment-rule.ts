import { hasDigit, isPlaceholder, type Rule, type Span } from './rule.ts'
import { kindOfName } from './secret-names.ts'

/**
 * Ends of names that hold secrets, then what stands between a name and its value: in env files, JSON (also inside a
 * string of JSON), YAML, shell, connection strings, code, XML and options of commands.
 */
const NAMED = new RegExp(
  `(?<name>passw(?:or)?d|passphrase|passcode|pwd|(?<=[_-])pass|secret[-_]?(?:access[-_]?)?key(?:[-_]?base)?|secret|api[-_ ]?key|(?:access|account|auth|encryption|signing|master|private|shared|client|consumer)[-_ ]?key|token|(?<![A-Za-z])_auth|credentials)` +
    String.raw`(?:(?<gap>(?:\\{0,7}["'\`])?\]?\s{0,8}(?:=>|:=|===?|=|:(?:\s{0,4}[A-Za-z&][\w<>.| ]{0,40}=(?=\s{0,4}["'\`]))?)\s{0,8})|(?<tag>(?:\s[^<>]{0,100})?>)|(?<option>[ \t]{1,4}))` +
    String.raw`(?<quote>\\{0,7}["'\`])?`,
  'gi',
)
const BEFORE = 120
const MAX_VALUE = 8192
const LONG = 300

/** Bare values end at white space, a quote or an escaped line break. */
const BARE = /(?:[^\s"'`\\]|\\(?![nrt"'`\\]))+/y
/** Inside other text also at what separates. */
const BARE_INSIDE = /(?:[^\s"'`\\;&,<>(){}[\]]|\\(?![nrt"'`\\]))+/y
const ELEMENT_TEXT = /[^<>\r\n]+/y

export const assignmentRule: Rule = text => {
  const spans: Span[] = []
  NAMED.lastIndex = 0
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const { name = '', gap, tag, option, quote } = match.groups ?? {}
    const start = match.index + match[0].length
    const before = lineBefore(text, match.index)
    const place: Place = { name, gap: gap ?? '', before, isQuoted: quote !== undefined }
    const end =
      tag !== undefined
        ? elementEnd(text, start, before)
        : option !== undefined
          ? optionEnd(text, start, { before, quote })
          : quote === undefined
            ? bareEnd(text, start, place)
            : quotedEnd(text, start, quote)
    const value = text.slice(start, end)
    const isFound = end > start && isSecret(value, place, text.slice(end, end + 40))
    if (isFound) spans.push({ from: match.index, start, end, kind: kindOfName(name) ?? 'secret' })
    // A short value that is no secret may hold one; a long one is not looked through twice, or time would not be linear.
    NAMED.lastIndex = isFound || value.length > LONG ? end : match.index + name.length
  }
  return spans
}

interface Place {
  readonly name: string
  /** From the name to the value. */
  readonly gap: string
  /** From the beginning of the line (or of the string that holds it) to the name. */
  readonly before: string
  readonly isQuoted: boolean
}

function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - BEFORE), at)
  return near.split(/[\r\n"'`]|\\[nrt]/).at(-1) ?? ''
}

/** Where a quoted value ends: at the same quote behind as many backslashes as the first, else at the line's end. */
function quotedEnd(text: string, start: number, quote: string): number {
  const mark = quote.slice(-1)
  const depth = quote.length - 1
  const limit = Math.min(text.length, start + MAX_VALUE)
  let slashes = 0
  for (let at = start; at < limit; at++) {
    const char = text[at]
    if (char === '\n' && mark !== '`') return at
    if (char === mark && slashes % (2 * (depth + 1)) === depth) return at - depth
    slashes = char === '\\' ? slashes + 1 : 0
  }
  return limit
}

function bareEnd(text: string, start: number, { gap, before }: Place): number {
  const isLine = isKeyOfLine(before)
  const pattern = isLine && /^\s*[=:]/.test(gap) && !/[,(]/.test(before) ? BARE : BARE_INSIDE
  const end = matchEnd(pattern, text, start)
  // `key: value,` is a line of code, and its comma is no part of the value.
  return /[,;]$/.test(text.slice(start, end)) && /\s$/.test(gap) ? end - 1 : end
}

function optionEnd(
  text: string,
  start: number,
  { before, quote }: { readonly before: string; readonly quote: string | undefined },
): number {
  if (!/(?:^|\s)--?[A-Za-z-]{0,40}$/.test(before)) return start
  if (quote !== undefined) return quotedEnd(text, start, quote)
  return text[start] === '-' ? start : matchEnd(BARE, text, start)
}

function elementEnd(text: string, start: number, before: string): number {
  if (!/<[\w:.-]{0,60}$/.test(before)) return start
  const end = matchEnd(ELEMENT_TEXT, text, start)
  return text.startsWith('</', end) ? end : start
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}

/** Whether a name begins its line, as in env files, YAML and shell. */
function isKeyOfLine(before: string): boolean {
  return /^\s*(?:[+>-]\s*)?(?:export\s+|set\s+|declare\s+-x\s+|env\s+|arg\s+|-e\s+)?[\w.:/@-]*$/i.test(before)
}

/** What `credentials` means to `fetch`. */
const FETCH_MODES = /^(?:omit|include|same-origin|use-credentials)$/

const TYPE_WORDS =
  /^(?:readonly|string|number|boolean|bool|int|integer|bytes?|buffer|object|unknown|any|never|void|str|char|text|varchar|required|optional|expected|invalid|missing|redacted|hidden|bearer|basic|await|new|async|function|self|this|return|not|is|are|was|and|or|the|with|for|from|that|which|if)\b/i

/** A name of code that leads to a value and is none: `config.password`, `userPassword`, `process.env.TOKEN`, `z.string`. */
function isReference(value: string): boolean {
  return (
    /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value) ||
    /^[a-z_]+(?:[A-Z_][A-Za-z]*)*(?:[A-Z]|_)(?:password|passwd|secret|token|key|credentials)$/i.test(value)
  )
}

function isSecret(value: string, { name, gap, before, isQuoted }: Place, after: string): boolean {
  const bare = value.trim()
  if (bare.length < 3 || isPlaceholder(bare) || bare.toLowerCase() === name.toLowerCase()) return false
  // An address is not the key that it is about, unless it carries one: another rule sees to that.
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(bare)) return false
  if (/^cred/i.test(name) && FETCH_MODES.test(bare)) return false
  const isPassword = /^(?:pass|pwd)/i.test(name)
  const isToken = /^token$/i.test(name)
  if (isQuoted) {
    if (/\s/.test(bare) && (/pass|token|secret|key|enter|your/i.test(bare) || !isPassword)) return false
    if (/^(?:string|number|boolean|text|password)$/i.test(bare) || bare.includes('${')) return false
    return isToken
      ? bare.length >= 4 && (hasDigit(bare) || (bare.length >= 24 && !bare.startsWith('?')))
      : true
  }
  // A call, an index or a longer expression follows.
  if (/^[([]/.test(after) || TYPE_WORDS.test(bare) || isReference(bare)) return false
  if (/^[=<>!?|&+*(){}[\],;]/.test(bare)) return false
  const isTight = /^(?:\\{0,7}["'`])?\]?=$/.test(gap)
  if (isToken && /^\d{1,9}$/.test(bare)) return false
  if (isTight && isKeyOfLine(before)) return true
  if (/^[A-Za-z_$][\w$.]*[([]/.test(bare)) return false
  if (isTight) return isPassword || bare.length >= 8 || hasDigit(bare)
  if (hasDigit(bare) && bare.length >= (isPassword ? 3 : 6)) return /[A-Za-z]/.test(bare) || isPassword
  if (!isKeyOfLine(before) || !/^\s*(?:#.*)?(?:[\r\n]|\\[nr]|["'`]|$)/.test(after))
    return /[^\w\s.,:;'"/-]/.test(bare) && bare.length >= 8
  // Alone on its line, and only letters.
  if (/^[A-Z][a-z]+(?:[A-Z][a-z]+)*$/.test(bare)) return false
  return isPassword || (bare.length >= 8 && !isToken && !/[a-z][A-Z]/.test(bare))
}
