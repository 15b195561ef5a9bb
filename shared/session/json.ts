/** Lossless JSON: what survives stringify and parse unchanged (contracts §1). */
export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

/** Deeper values are refused: JSON is written by recursion, which ends somewhere. A cycle is as deep as can be. */
const MAX_DEPTH = 2000

/** What writing and reading `value` as JSON would lose, in a few words; `null` for nothing. */
export function lossOf(value: unknown): string | null {
  return lossAt(value, 0)
}

function lossAt(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return leafLoss(value)
  if (depth >= MAX_DEPTH) return 'a cycle, or nested too deeply'
  const loss = containerLoss(value)
  if (loss !== null) return loss
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    const innerLoss = lossAt(inner, depth + 1)
    if (innerLoss !== null) return innerLoss
  }
  return null
}

function containerLoss(container: object): string | null {
  if (Array.isArray(container)) return null
  const prototype: unknown = Object.getPrototypeOf(container)
  if (prototype !== Object.prototype && prototype !== null) return 'an object of a class'
  return Object.getOwnPropertySymbols(container).length > 0 ? 'a symbol key' : null
}

function leafLoss(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'object':
      return null
    case 'number':
      if (!Number.isFinite(value)) return String(value)
      return Object.is(value, -0) ? '-0' : null
    default:
      return typeof value
  }
}

/** An id or a name out of unchecked data. `String` would throw for some objects that JSON can hold. */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/**
 * Replaces lone surrogates, which no UTF-8 file can hold, in every string of `value`. The same reference comes
 * back when there are none, which is nearly always.
 */
export function toWellFormed<T>(value: T): T
export function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? wellFormedItems(value) : wellFormedEntries(value)
}

function wellFormedItems(items: unknown[]): unknown[] {
  let copy: unknown[] | null = null
  for (const [index, item] of items.entries()) {
    const fixed = toWellFormed(item)
    if (fixed === item) continue
    copy ??= [...items]
    copy[index] = fixed
  }
  return copy ?? items
}

function wellFormedEntries(value: object): object {
  let isChanged = false
  const entries: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    const entry: [string, unknown] = [toWellFormed(key), toWellFormed(item)]
    if (entry[0] !== key || entry[1] !== item) isChanged = true
    entries.push(entry)
  }
  return isChanged ? Object.fromEntries(entries) : value
}

/** Freezes `value` and everything it holds, also below what is frozen already. Iterative: a log may nest deeply. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value]
  const met = new Set<object>()
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null || met.has(next)) continue
    met.add(Object.freeze(next))
    for (const inner of Object.values(next)) pending.push(inner)
  }
  return value
}
