import { messageOf, WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'

/** `JSON.stringify` writes only lone surrogates as `\ud…`; an even run of backslashes before it is text. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * The JSON text of an event's data. Lone surrogates, which no UTF-8 file can hold, are replaced.
 * @throws WorkbenchError `BAD_REQUEST` naming the event's type when `data` is not lossless JSON.
 */
export function dataText({ type, data }: StoredEvent): string {
  let text: string | undefined
  let problem: string | null
  try {
    text = JSON.stringify(data)
    problem = lossOf(data)
  } catch (error) {
    problem = messageOf(error) // a cycle, a BigInt, a `toJSON` that throws
  }
  if (text !== undefined && problem === null) return wellFormed(text)
  throw new WorkbenchError(
    'BAD_REQUEST',
    `The data of a ${type} event is not lossless JSON: ${problem ?? 'undefined'}.`,
  )
}

export function wellFormed(json: string): string {
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\ufffd') : json
}

/** What writing and reading `value` as JSON would lose, `null` for nothing. It has no cycle: it was stringified. */
function lossOf(value: unknown): string | null {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) {
      const loss = leafLoss(next)
      if (loss !== null) return loss
      continue
    }
    const loss = containerLoss(next)
    if (loss !== null) return loss
    for (const item of Array.isArray(next) ? next : Object.values(next)) pending.push(item)
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
      return null
    case 'number':
      if (!Number.isFinite(value)) return String(value)
      return Object.is(value, -0) ? '-0' : null
    case 'object':
      return null
    default:
      return typeof value
  }
}
