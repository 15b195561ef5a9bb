/** Lossless JSON: what survives stringify and parse unchanged (contracts §1). */
export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

/** Deeper values are refused: JSON is written by recursion, which ends somewhere. A cycle is as deep as can be. */
const MAX_DEPTH = 2000
const TOO_DEEP = 'a cycle, or nested too deeply'

/** What writing and reading `value` as JSON would lose, in a few words; `null` for nothing. */
export function lossOf(value: unknown): string | null {
  return lossAt(value, 0)
}

function lossAt(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return leafLoss(value)
  if (depth >= MAX_DEPTH) return TOO_DEEP
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

/** What `seal` refuses, and why in a few words. */
export class JsonLoss extends Error {}

/**
 * What a log keeps of `value`: lossless, well-formed and frozen through. One walk for all three, since every event
 * takes it. The same reference comes back unless a text had to be repaired.
 * @throws JsonLoss naming what writing and reading it as JSON would lose. Parts of it may be frozen by then.
 */
export function seal(value: unknown): unknown {
  return sealAt(value, 0)
}

function sealAt(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return refuseLoss(leafLoss(value), value)
  if (depth >= MAX_DEPTH) throw new JsonLoss(TOO_DEEP)
  refuseLoss(containerLoss(value), value)
  return Object.freeze(Array.isArray(value) ? sealItems(value, depth + 1) : sealEntries(value, depth + 1))
}

function refuseLoss(loss: string | null, value: unknown): unknown {
  if (loss !== null) throw new JsonLoss(loss)
  return value
}

function sealItems(items: unknown[], depth: number): unknown[] {
  let copy: unknown[] | null = null
  for (let index = 0; index < items.length; index += 1) {
    const sealed = sealAt(items[index], depth)
    if (Object.is(sealed, items[index])) continue
    copy ??= [...items]
    copy[index] = sealed
  }
  return copy ?? items
}

function sealEntries(value: object, depth: number): object {
  let isRepaired = false
  const record = value as Record<string, unknown>
  for (const key of Object.keys(record)) {
    const inner = record[key]
    if (!Object.is(sealAt(inner, depth), inner) || !key.isWellFormed()) isRepaired = true
  }
  return isRepaired ? repairedEntries(record, depth) : value
}

/** Made anew from the entries: `__proto__` may be among the keys. */
function repairedEntries(record: Record<string, unknown>, depth: number): object {
  const entries = Object.entries(record).map(([key, inner]) => [key.toWellFormed(), sealAt(inner, depth)])
  return Object.fromEntries(entries)
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
