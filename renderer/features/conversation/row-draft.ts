import { type ChildOutcome, readEvent, type SessionEvent, type StoredEvent } from '#shared/session/events.ts'
import type { Row } from './row.ts'

/** A row before it has a place: `key` is its wish, made unique where a log repeats an id. */
type Unplaced<R extends Row = Row> = R extends Row ? Omit<R, 'seq' | 'time'> : never

/** The words of a settlement or a report, without the frame that the model reads around them. */
export interface Told {
  readonly kind: 'settlement' | 'report'
  readonly childId: string
  readonly text: string
  readonly outcome: ChildOutcome | null
}

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
  /** What children said for people, until the message comes that says it to the model. */
  readonly told: Told[] = []
  turnStart: number | null = null
  stepStart: number | null = null
  /** Rows made by events below the seed's length. */
  inherited = 0
  /** Indices of calls of the open turn that have no result yet. */
  readonly open = new Set<number>()
  readonly #keys = new Set<string>()

  add({ seq, time, cut }: Pick<StoredEvent, 'seq' | 'time' | 'cut'>, row: Unplaced): number {
    const key = this.#keys.has(row.key) ? `${row.key}@${seq}` : row.key
    this.#keys.add(key)
    const isFirst = this.rows.at(-1)?.seq !== seq
    this.rows.push({ ...row, key, seq, time, ...(cut !== undefined && isFirst && { cut }) } as Row)
    return this.rows.length - 1
  }

  /** Takes the oldest words of that kind from that child, if the window holds them. */
  takeTold(kind: string, childId: string): Told | null {
    const index = this.told.findIndex(told => told.kind === kind && told.childId === childId)
    return index === -1 ? null : (this.told.splice(index, 1)[0] ?? null)
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
