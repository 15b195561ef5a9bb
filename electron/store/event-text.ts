import { messageOf, WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lossOf } from '#shared/session/json.ts'

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

/** Of data that went through `seal`, and so can be written as it is. */
export function sealedText({ data }: StoredEvent): string {
  return JSON.stringify(data)
}

export function wellFormed(json: string): string {
  return json.includes('\\ud') ? json.replaceAll(LONE_SURROGATE, '$1\ufffd') : json
}
