import { utf8Size } from '../utf8.ts'
import type { CutText, StoredEvent } from './events.ts'

/** Characters of one event that a window is sent unasked. The rest is read in parts (`history.text`). */
export const MOST_EVENT_CHARS = 131_072
/** Characters of all events of a page or of a frame. */
export const MOST_EVENTS_CHARS = 4_194_304
/** Every event gets so many at least, however many there are. */
const LEAST_EVENT_CHARS = 2048

/** What a number, a mark or a comma counts. */
const LEAF = 4
/** Short values that a schema may ask for stay, whatever is around them. */
const SHORT = 256
const SCHEMA_DEPTH = 2
const MOST_KEYS = 32
const MOST_CUTS = 100

/**
 * Events as a window is sent them, bounded one by one and together: pages and frames go through here and nowhere else
 * past it (the store thread shortens long ones before, so that they never reach the main loop). What is too long is shortened in a copy that still fits its schema; `cut` says where and how long it was. Log,
 * folds and exports keep the whole.
 */
export function wireEvents(events: readonly StoredEvent[]): StoredEvent[] {
  const sizes = events.map(({ data }) => Math.min(charsOf(data, MOST_EVENT_CHARS), MOST_EVENT_CHARS))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= MOST_EVENTS_CHARS) {
    return events.map((event, index) => (sizes[index] === MOST_EVENT_CHARS ? wireEvent(event) : event))
  }
  const share = Math.max(LEAST_EVENT_CHARS, Math.floor(MOST_EVENTS_CHARS / events.length))
  return events.map(event => wireEvent(event, share))
}

const shortened = new WeakMap<StoredEvent, StoredEvent>()

/** One event by itself. The same reference where nothing is too long, which is nearly always. */
export function wireEvent(event: StoredEvent, most = MOST_EVENT_CHARS): StoredEvent {
  if (charsOf(event.data, most) <= most) return event
  if (most !== MOST_EVENT_CHARS) return shorten(event, most)
  const known = shortened.get(event)
  if (known !== undefined) return known
  const short = shorten(event, most)
  shortened.set(event, short)
  return short
}

/** Counts until it is more than `most`. Iterative: a log may nest deeply. */
function charsOf(data: unknown, most: number): number {
  let chars = 0
  const pending: unknown[] = [data]
  while (pending.length > 0 && chars <= most) {
    const value = pending.pop()
    chars += LEAF
    if (typeof value === 'string') chars += value.length
    else if (Array.isArray(value)) for (const item of value) pending.push(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        chars += key.length
        pending.push(item)
      }
    }
    if (pending.length * LEAF > most) return most + 1
  }
  return chars
}

type Path = CutText['path']

function shorten(event: StoredEvent, most: number): StoredEvent {
  const cut: CutText[] = [...(event.cut ?? [])]
  const perText = Math.floor(most / 4)
  let left = most

  const noted = (path: Path, text: string) => {
    // One that was shortened before: its whole length is known already.
    const isKnown = event.cut?.some(one => one.path.join('\n') === path.join('\n')) === true
    if (!isKnown && cut.length < MOST_CUTS) cut.push({ path, bytes: utf8Size(text) })
  }

  function text(value: string, path: Path, depth: number): string {
    if (value.length <= SHORT && (depth <= SCHEMA_DEPTH || value.length <= left)) {
      left -= value.length
      return value
    }
    const room = Math.min(perText, Math.max(0, left))
    left -= Math.min(value.length, room)
    if (value.length <= room) return value
    noted(path, value)
    return ends(value, room)
  }

  /** A picture is whole or not there: half of one shows nothing. */
  function picture(value: Readonly<Record<string, unknown>>, path: Path): object {
    const { data } = value
    if (typeof data !== 'string' || data.length <= Math.min(perText, left)) return fields(value, path)
    noted([...path, 'data'], data)
    return fields({ ...value, data: '' }, path)
  }

  function fields(value: Readonly<Record<string, unknown>>, path: Path): object {
    const entries: [string, unknown][] = []
    for (const [key, item] of Object.entries(value)) {
      if (left <= 0 && (entries.length >= MOST_KEYS || key.length > SHORT)) continue
      left -= key.length + LEAF
      entries.push([key, any(item, [...path, key])])
    }
    return Object.fromEntries(entries)
  }

  function items(value: readonly unknown[], path: Path): unknown[] {
    const kept: unknown[] = []
    for (const [index, item] of value.entries()) {
      if (left <= 0) break
      kept.push(any(item, [...path, index]))
    }
    return kept
  }

  function any(value: unknown, path: Path): unknown {
    left -= LEAF
    const depth = path.length
    if (typeof value === 'string') return text(value, path, depth)
    if (typeof value !== 'object' || value === null) return value
    if (left <= 0 && depth > SCHEMA_DEPTH) return null
    if (depth > MOST_DEPTH) return null
    if (Array.isArray(value)) return items(value, path)
    const record = value as Readonly<Record<string, unknown>>
    return record['type'] === 'image' ? picture(record, path) : fields(record, path)
  }

  const data = any(event.data, [])
  return { ...event, data, cut }
}

/** Deeper values are not shown: they are written and read by recursion. */
const MOST_DEPTH = 200

/** Both ends of a text, with a line between them that says what is left out. Never half a character. */
function ends(value: string, room: number): string {
  const head = value.slice(0, Math.floor(room * 0.75)).replace(/[\uD800-\uDBFF]$/, '')
  const tail = value.slice(value.length - Math.floor(room * 0.25)).replace(/^[\uDC00-\uDFFF]/, '')
  const left = value.length - head.length - tail.length
  return `${head}\n[… ${left.toLocaleString('en-US')} characters are not shown here …]\n${room < 8 ? '' : tail}`
}
