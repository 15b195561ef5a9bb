import { assignmentRule } from './assignment-rule.ts'
import { headerRules } from './header-rules.ts'
import { MARKS } from './mark.ts'
import { privateKeyRule } from './private-key-rule.ts'
import type { Rule, Span } from './rule.ts'
import { tokenHints, tokenRules } from './token-rules.ts'
import { urlRules } from './url-rules.ts'

/** Where two rules find the same thing, the first names it. */
const RULES: readonly Rule[] = [privateKeyRule, ...tokenRules, ...headerRules, ...urlRules, assignmentRule]

/** What no rule finds anything without. Most texts of a log have none of it, and are done with. */
const TOKEN_TRIGGER = new RegExp(tokenHints.map(hint => hint.replaceAll(/[^A-Za-z0-9_]/g, '\\$&')).join('|'))
const OTHER_TRIGGER =
  /:\/\/|[?&#;][\w-]+(?:=|%3D)|%26|%3F|\s-[ub]\b|--user|--proxy-user|auth|bearer|basic|cookie|pass|pwd|secret|key|token|credential|login/i

/** Shorter values stand in too many innocent places. */
const SHORTEST_KNOWN = 6

/** One look: what is to be hidden, in order and apart. Marks of an earlier look are left as they are. */
export function findSpans(text: string, known: readonly string[]): readonly Span[] {
  const isSuspect = OTHER_TRIGGER.test(text) || TOKEN_TRIGGER.test(text)
  const found = [...knownSpans(text, known), ...(isSuspect ? RULES.flatMap(rule => rule(text)) : [])]
  if (found.length === 0) return found
  const marks = [...text.matchAll(MARKS)].map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }))
  return merge(marks.length === 0 ? found : found.flatMap(span => aroundMarks(text, span, marks)))
}

/** Values that are secret for certain, as they are and as JSON and addresses write them. */
function knownSpans(text: string, known: readonly string[]): Span[] {
  const values = known.filter(value => value.length >= SHORTEST_KNOWN)
  const forms = new Set(
    values.flatMap(value => [value, JSON.stringify(value).slice(1, -1), inAddress(value)]),
  )
  const spans: Span[] = []
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
      spans.push({ from: at, start: at, end: at + form.length, kind: 'known secret' })
    }
  }
  return spans
}

function inAddress(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Takes whole marks in, and drops a span that holds nothing else. */
function aroundMarks(text: string, span: Span, marks: readonly Range[]): readonly Span[] {
  const touched = between(marks, span)
  if (touched.length === 0) return [span]
  const start = Math.min(span.start, touched[0]?.start ?? span.start)
  const end = Math.max(span.end, touched.at(-1)?.end ?? span.end)
  const rest = text.slice(start, end).replaceAll(MARKS, '')
  return /[A-Za-z0-9]/.test(rest) && start === span.start ? [{ ...span, end }] : []
}

/** Those of `marks` that overlap `span`, by bisection. */
function between(marks: readonly Range[], { start, end }: Range): readonly Range[] {
  let low = 0
  let high = marks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((marks[middle]?.end ?? 0) <= start) low = middle + 1
    else high = middle
  }
  let last = low
  while (last < marks.length && (marks[last]?.start ?? end) < end) last += 1
  return marks.slice(low, last)
}

/** Overlapping spans become one, named by the rule that comes first. */
function merge(found: readonly Span[]): readonly Span[] {
  const ordered = found
    .map((span, rank) => ({ span, rank }))
    .sort((a, b) => a.span.start - b.span.start || a.rank - b.rank)
  const merged: { span: Span; rank: number }[] = []
  for (const next of ordered) {
    const last = merged.at(-1)
    if (last === undefined || next.span.start >= last.span.end) {
      merged.push({ ...next })
      continue
    }
    const kind = next.rank < last.rank ? next.span.kind : last.span.kind
    const end = Math.max(last.span.end, next.span.end)
    const from = Math.min(last.span.from, next.span.from)
    last.span = { from, start: last.span.start, end, kind }
    last.rank = Math.min(last.rank, next.rank)
  }
  return merged.map(({ span }) => span)
}
