import { hasCode } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { LogPage, SessionPersistence } from '../store/persistence.ts'
import type { LogItem } from './export-shapes.ts'

/** Events that are read at a time, and so held. */
const STRETCH = 50
const RAW_ROWS = 200

/** A session that is in memory now: its end may not be stored yet. */
export interface LiveLog {
  readonly header: SessionHeader
  readonly nextSeq: number
  /** Its last events, dense. */
  readonly tail: readonly StoredEvent[]
}

export interface LogSources {
  readonly live: (id: SessionId) => LiveLog | undefined
  readonly persistence: Pick<SessionPersistence, 'page' | 'raw'>
}

export interface LogReading {
  readonly header: SessionHeader | null
  readonly items: AsyncGenerator<LogItem>
}

/**
 * One log from its first event to the one that was last when this began, read in stretches: a long log is never held
 * whole. What cannot be read is said where it is missing. Rejects with `SESSION_NOT_FOUND`, `STORE_UNAVAILABLE` or the
 * reason of `signal`.
 */
export async function readLog(sources: LogSources, id: SessionId, signal?: AbortSignal): Promise<LogReading> {
  const live = sources.live(id)
  if (live !== undefined) {
    return { header: live.header, items: itemsOf(sources, id, { end: live.nextSeq, live }, signal) }
  }
  try {
    const { header, endSeq, closers } = await sources.persistence.page(id, { limit: 1 }, signal)
    return { header, items: itemsOf(sources, id, { end: endSeq - closers, live: null }, signal) }
  } catch (error) {
    if (!hasCode(error, 'SESSION_DAMAGED') && !hasCode(error, 'SESSION_VERSION')) throw error
    return {
      header: null,
      items: rawItems(sources, id, error instanceof Error ? error.message : String(error)),
    }
  }
}

interface Extent {
  readonly end: number
  readonly live: LiveLog | null
}

async function* itemsOf(
  { persistence }: LogSources,
  id: SessionId,
  { end, live }: Extent,
  signal?: AbortSignal,
): AsyncGenerator<LogItem> {
  // The array of the moment: the live one goes on.
  const tail = live?.tail.filter(({ seq }) => seq < end) ?? []
  const storedEnd = tail[0]?.seq ?? end
  let gap = gapOf(null)
  for (let from = 0; from < storedEnd; from += STRETCH) {
    const to = Math.min(from + STRETCH, storedEnd)
    const page = await persistence.page(id, { before: to, limit: to - from }, signal)
    for (const item of inOrder(page, { from, to }, live === null)) {
      const next = gapOf(item)
      const longer = joined(gap, next)
      if (longer !== null) {
        gap = longer
        continue
      }
      if (gap !== null) yield { kind: 'damage', damage: gap }
      gap = next
      if (next === null) yield item
    }
  }
  if (gap !== null) yield { kind: 'damage', damage: gap }
  for (const event of tail) yield { kind: 'event', event }
}

type Gap = Extract<Damage, { kind: 'log-gap' }>

/** A gap that goes on in the next stretch is one gap. */
function joined(gap: Gap | null, next: Gap | null): Gap | null {
  return gap !== null && next?.fromSeq === gap.toSeq + 1 ? { ...gap, toSeq: next.toSeq } : null
}

function gapOf(item: LogItem | null): Gap | null {
  return item?.kind === 'damage' && item.damage.kind === 'log-gap' ? item.damage : null
}

interface Range {
  readonly from: number
  readonly to: number
}

/** A page of rows reaches further back than was asked for, where some are missing. */
function inOrder(page: LogPage, { from, to }: Range, withClosers: boolean): LogItem[] {
  const closersFrom = page.events.length - page.closers
  const items = page.events.flatMap((event, index): LogItem[] => {
    if (event.seq < from || (index >= closersFrom && !withClosers)) return []
    return [{ kind: index < closersFrom ? 'event' : 'closer', event }]
  })
  for (const damage of page.damage) {
    const inside = within(damage, { from, to })
    if (inside !== null) items.push({ kind: 'damage', damage: inside })
  }
  return items.sort((a, b) => placeOf(a) - placeOf(b))
}

function within(damage: Damage, { from, to }: Range): Damage | null {
  if (damage.kind === 'log-undecodable') return damage.seq >= from ? damage : null
  if (damage.kind === 'damaged-tail') return damage
  const gap = { ...damage, fromSeq: Math.max(damage.fromSeq, from), toSeq: Math.min(damage.toSeq, to - 1) }
  return gap.fromSeq <= gap.toSeq ? gap : null
}

function placeOf(item: LogItem): number {
  if (item.kind === 'damage') return 'seq' in item.damage ? item.damage.seq : item.damage.fromSeq
  return item.kind === 'event' || item.kind === 'closer' ? item.event.seq : 0
}

/** The rows as they are stored: all that is left of a record whose header cannot be read. */
async function* rawItems(
  { persistence }: LogSources,
  id: SessionId,
  sentence: string,
): AsyncGenerator<LogItem> {
  yield { kind: 'problem', sentence: `${sentence} Its rows follow as they are stored, long ones cut.` }
  for (let from = 0; ; ) {
    const rows = await persistence.raw(id, from, RAW_ROWS)
    for (const row of rows) yield { kind: 'row', ...row }
    const last = rows.at(-1)
    if (last === undefined || rows.length < RAW_ROWS) return
    from = last.seq + 1
  }
}
