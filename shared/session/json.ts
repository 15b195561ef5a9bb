/** Lossless JSON: what survives stringify and parse unchanged (contracts §1). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Replaces lone surrogates, which no UTF-8 file can hold, in every string of `value`. */
export function toWellFormedJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).toWellFormed()) as T
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
