/** Lossless JSON: what survives stringify and parse unchanged (contracts §1). */
export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

/** Deeper values are refused: walking them by recursion, as JSON does, would overflow the stack. */
const MAX_DEPTH = 500

/** What writing and reading `value` as JSON would lose, in a few words; `null` for nothing. Never throws. */
export function lossOf(value: unknown): string | null {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return 'a cycle, or nested too deeply'
    const below: unknown[] = []
    for (const item of level) {
      const loss = typeof item === 'object' && item !== null ? containerLoss(item) : leafLoss(item)
      if (loss !== null) return loss
      if (Array.isArray(item)) for (const inner of item) below.push(inner)
      else if (typeof item === 'object' && item !== null) {
        for (const inner of Object.values(item)) below.push(inner)
      }
    }
    level = below
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
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => toWellFormed(item))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value).map(([key, item]) => [toWellFormed(key), toWellFormed(item)] as const)
  const changed = entries.some(([key, item]) => item !== (value as Record<string, unknown>)[key])
  return changed ? Object.fromEntries(entries) : value
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
