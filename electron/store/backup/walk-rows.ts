import { isUnreadable } from './unreadable.ts'

/** Keys in a row that may be unreadable where nothing says how far the rows go, and past the end that is stated. */
const PATIENCE = 10_000
const PATIENCE_PAST_END = 100
/** A record may state any number of events; beyond so many only `PATIENCE` counts. */
const MOST_STATED = 5_000_000
/** Rows that are read at a time while all goes well. */
const STRETCH = 500

/**
 * Walks rows by a whole-number key, past those that cannot be read. `read` gives up to `limit` rows in order, the first
 * of them with a key of at least `from`. `stated` is the key after the last row, as far as anything says so.
 */
export function* walkRows<R>(
  read: (from: number, limit: number) => readonly R[],
  keyOf: (row: R) => unknown,
  stated: number | null,
  stretch = STRETCH,
): Generator<R> {
  const end = Math.min(stated ?? 0, MOST_STATED)
  const patience = end > 0 ? PATIENCE_PAST_END : PATIENCE
  let limit = stretch
  let failures = 0
  let singles = 0
  for (let from = 0; from < Number.MAX_SAFE_INTEGER; ) {
    const rows = tryRead(() => inOrder(read(from, limit), keyOf, from))
    if (rows === null && limit > 1) {
      limit = 1
      singles = 0
    } else if (rows === null) {
      from += 1
      failures += 1
      if (from >= end && failures >= patience) return
    } else {
      const last = rows.at(-1)
      if (last === undefined) return
      yield* rows
      if (limit > 1 && rows.length < limit) return
      from = Number(keyOf(last)) + 1
      failures = 0
      singles += 1
      if (singles > STRETCH) limit = stretch
    }
  }
}

/** Ends `upToDamage` where a row could not be read. */
export const DAMAGE = Symbol('damage')

/** All rows of a query up to the first that cannot be read; then `DAMAGE` is the last. */
export function* upToDamage<R>(rows: () => IterableIterator<R>): Generator<R | typeof DAMAGE> {
  try {
    yield* rows()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    yield DAMAGE
  }
}

/** `null` for what cannot be read: by SQLite's word, or because its rows are in no order. */
function tryRead<R>(read: () => readonly R[] | null): readonly R[] | null {
  try {
    return read()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return null
  }
}

function inOrder<R>(rows: readonly R[], keyOf: (row: R) => unknown, from: number): readonly R[] | null {
  let least = from
  for (const row of rows) {
    const key = keyOf(row)
    if (typeof key !== 'number' || !Number.isSafeInteger(key) || key < least) return null
    least = key + 1
  }
  return rows
}
