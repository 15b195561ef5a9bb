/** Lossless JSON: what survives stringify and parse unchanged (contracts §1). */
export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

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

/** Freezes `value` and everything it holds. Iterative: a log may nest deeply. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    pending.push(...Object.values(next))
  }
  return value
}
