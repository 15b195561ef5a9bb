import { EVENT_TYPES, type StoredEvent } from '#shared/session/events.ts'

/** A row of the event table as it is read: what disk says, unchecked. */
export type EventRow = readonly [
  seq: unknown,
  time: unknown,
  type: unknown,
  data: unknown,
  ignorable: unknown,
]

export const EVENT_COLUMNS = 'seq, time, type, data, ignorable'

/** Names read from disk are copies; these are the ones in our code, which compare at once. */
const KNOWN_TYPES: ReadonlyMap<string, string> = new Map(EVENT_TYPES.map(type => [type, type]))

export interface ReadRow {
  readonly event: StoredEvent
  /** The stored text of its data. */
  readonly text: string
}

/** `null` when the row holds no event: broken JSON, or columns of another kind. */
export function readRow(row: EventRow): ReadRow | null {
  const seq = row[0]
  const time = row[1]
  const type = row[2]
  const text = row[3]
  if (
    !isSeq(seq) ||
    typeof time !== 'number' ||
    !Number.isFinite(time) ||
    typeof type !== 'string' ||
    typeof text !== 'string'
  )
    return null
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    // Broken JSON is the answer we look for here: the caller reports the row as damage.
    return null
  }
  return { event: eventOf(seq, time, KNOWN_TYPES.get(type) ?? type, data, row[4] === 1), text }
}

function eventOf(seq: number, time: number, type: string, data: unknown, ignorable: boolean): StoredEvent {
  return ignorable ? { seq, time, type, data, ignorable } : { seq, time, type, data }
}

/** The event as JSON, with the stored text of its data: not a byte is written anew. */
export function rowJson({ event: { seq, time, type, ignorable }, text }: ReadRow): string {
  const mark = ignorable === true ? ',"ignorable":true' : ''
  return `{"seq":${seq},"time":${time},"type":${typeText(type)},"data":${text}${mark}}`
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

const typeTexts = new Map<string, string>()

function typeText(type: string): string {
  const known = typeTexts.get(type)
  if (known !== undefined) return known
  const text = JSON.stringify(type)
  if (typeTexts.size < 1000) typeTexts.set(type, text)
  return text
}
