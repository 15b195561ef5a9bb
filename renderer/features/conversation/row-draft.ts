import { readEvent, type SessionEvent, type StoredEvent } from '#shared/session/events.ts'
import type { Row } from './row.ts'

/** A row before it has a place: `key` is its wish, made unique where a log repeats an id. */
type Unplaced<R extends Row = Row> = R extends Row ? Omit<R, 'seq' | 'time'> : never

/**
 * The rows of one window of a log while they are folded. Mutable and private to `rows.ts`: what leaves are
 * immutable rows, and one that changes is replaced.
 */
export class RowDraft {
  readonly rows: Row[] = []
  /** Latest row of each call id, by index: a log that repeats an id means its newest call. */
  readonly calls = new Map<string, number>()
  readonly children = new Map<string, number>()
  readonly labels = new Map<string, string>()
  readonly messages = new Set<string>()
  turnStart: number | null = null
  stepStart: number | null = null
  /** Rows made by events below the seed's length. */
  inherited = 0
  /** Indices of calls of the open turn that have no result yet. */
  readonly open = new Set<number>()
  readonly #keys = new Set<string>()

  add(event: Pick<StoredEvent, 'seq' | 'time'>, row: Unplaced): number {
    const key = this.#keys.has(row.key) ? `${row.key}@${event.seq}` : row.key
    this.#keys.add(key)
    this.rows.push({ ...row, key, seq: event.seq, time: event.time } as Row)
    return this.rows.length - 1
  }

  replace(index: number, row: Row): void {
    this.rows[index] = row
  }
}

const parsed = new WeakMap<StoredEvent, { readonly event: SessionEvent | null }>()

/** `readEvent`, once per event object: a prepended page folds the window again without parsing it again. */
export function readOnce(stored: StoredEvent): SessionEvent | null {
  const known = parsed.get(stored)
  if (known !== undefined) return known.event
  const event = readEvent(stored)
  parsed.set(stored, { event })
  return event
}
