import { toWellFormed } from '#shared/session/json.ts'
import { asRecord, type JsonRecord, type JsonValue } from './json-fields.ts'

const MAX_DEPTH = 256

/** What JSON text can say that a log may not hold: lone surrogates, −0, numbers that overflow to Infinity. */
const NEEDS_TIDYING = /\\u[dD][89a-fA-F]|-0(?:\.0*)?(?:[eE]|[\s,\]}])|[eE]\+?\d{3}|\d{300}/

export type ParsedLine =
  | { readonly kind: 'record'; readonly value: JsonRecord }
  | { readonly kind: 'blank' }
  | { readonly kind: 'bad'; readonly problem: string }

/** One line of a JSONL file as lossless JSON (contracts §1). Never throws. Bytes that are not UTF-8 become U+FFFD. */
export function parseLine(bytes: Buffer): ParsedLine {
  const text = bytes.toString('utf8').trim()
  if (text === '') return { kind: 'blank' }
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    // A bad line is an answer, not an error: the caller counts it.
    return { kind: 'bad', problem: 'not valid JSON' }
  }
  if (isTooDeep(value)) return { kind: 'bad', problem: `nested more than ${MAX_DEPTH} levels deep` }
  const record = asRecord(NEEDS_TIDYING.test(text) ? tidy(value) : value)
  return record === null ? { kind: 'bad', problem: 'not an object' } : { kind: 'record', value: record }
}

/** Stringifying turns −0 into 0 and Infinity into null; it keeps lone surrogates as escapes. */
function tidy(value: JsonValue): JsonValue {
  const plain: JsonValue = JSON.parse(JSON.stringify(value))
  return toWellFormed(plain)
}

/** Level by level, without recursion: `value` is hostile. */
function isTooDeep(value: JsonValue): boolean {
  let level: JsonValue[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    const next: JsonValue[] = []
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue
      for (const child of Array.isArray(node) ? node : Object.values(node)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
  return false
}
