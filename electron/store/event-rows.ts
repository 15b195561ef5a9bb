import type { StoredEvent } from '#shared/session/events.ts'

/** A row of the event table as it is read: what disk says, unchecked. */
export type EventRow = readonly [
  seq: unknown,
  time: unknown,
  type: unknown,
  data: unknown,
  ignorable: unknown,
]

export const EVENT_COLUMNS = 'seq, time, type, data, ignorable'

export interface ReadRow {
  readonly event: StoredEvent
  /** The event as JSON, with the stored text of its data: not a byte is written anew. */
  json(): string
}

const typeTexts = new Map<string, string>()

/** `null` when the row holds no event: broken JSON, or columns of another kind. */
export function readRow([seq, time, type, text, ignorable]: EventRow): ReadRow | null {
  if (!isSeq(seq) || typeof time !== 'number' || typeof type !== 'string' || typeof text !== 'string')
    return null
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    // Broken JSON is the answer we look for here: the caller reports the row as damage.
    return null
  }
  const event = { seq, time, type, data, ...(ignorable === 1 && { ignorable: true as const }) }
  const json = (): string =>
    `{"seq":${seq},"time":${time},"type":${typeText(type)},"data":${text}${ignorable === 1 ? ',"ignorable":true' : ''}}`
  return { event, json }
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function typeText(type: string): string {
  const known = typeTexts.get(type)
  if (known !== undefined) return known
  const text = JSON.stringify(type)
  if (typeTexts.size < 1000) typeTexts.set(type, text)
  return text
}
