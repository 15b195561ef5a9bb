import type { StoredEvent } from '#shared/session/events.ts'
import type { EncodedEvents } from '../wire.ts'
import { eventLine } from './line.ts'
import type { IndexedRow } from './log-index.ts'

export function eventLines({ firstSeq, times, types, texts, ignorable }: EncodedEvents): string[] {
  const skippable = new Set(ignorable)
  return texts.map((text, index) => {
    const envelope = { seq: firstSeq + index, time: times[index] ?? 0, type: types[index] ?? '' }
    return eventLine(skippable.has(index) ? { ...envelope, ignorable: true } : envelope, text)
  })
}

export function indexedRows({ firstSeq, times, types }: EncodedEvents): IndexedRow[] {
  return types.map((type, index) => ({ seq: firstSeq + index, time: times[index], type }))
}

export function encodedEvents(firstSeq: number, events: readonly StoredEvent[]): EncodedEvents {
  return {
    firstSeq,
    times: events.map(({ time }) => time),
    types: events.map(({ type }) => type),
    texts: events.map(({ data }) => JSON.stringify(data)),
    ignorable: [],
  }
}
