import type { Row, TreeRow } from './row.ts'

/** The row objects of a list that is made anew, again and again. */
export interface RowPool {
  /** The object of before when the row is as it was: memoised rows do not render again. */
  keep(row: Row): Row
  /** A list of rows that were kept; the last one when it is the same. */
  settle(rows: readonly Row[]): readonly Row[]
  /** The last list with other rows in the places of those of the same keys. */
  replace(changed: readonly Row[]): readonly Row[]
  get(key: string): Row | undefined
}

/** Rows that are no longer listed are forgotten when there are as many of them as of those that are. */
const FORGET_AT = 2

export function createRowPool(): RowPool {
  let held = new Map<string, Row>()
  let last: readonly Row[] = []

  function keep(row: Row): Row {
    const before = held.get(row.key)
    if (before !== undefined && isSame(before, row)) return before
    held.set(row.key, row)
    return row
  }

  return {
    get: key => held.get(key),
    keep,
    settle: next => {
      const isAsBefore = next.length === last.length && next.every((row, index) => row === last[index])
      if (!isAsBefore) last = next
      if (held.size > FORGET_AT * last.length) held = new Map(last.map(row => [row.key, row]))
      return last
    },
    replace: changed => {
      if (changed.length === 0) return last
      const next = [...last]
      for (const row of changed) {
        const before = held.get(row.key)
        const place = before === undefined ? -1 : next.indexOf(before)
        if (place >= 0) next[place] = keep(row)
      }
      last = next
      return last
    },
  }
}

function isSame(one: Row, other: Row): boolean {
  if (isOfSession(one) && isOfSession(other)) {
    return (
      one.two === other.two &&
      one.expanded === other.expanded &&
      one.position === other.position &&
      one.setSize === other.setSize &&
      one.depth === other.depth &&
      one.kind === other.kind &&
      one.parentKey === other.parentKey &&
      isSameQuestion(one.asking, other.asking)
    )
  }
  return Object.entries(one).every(([field, value]) => value === Reflect.get(other, field))
}

function isSameQuestion(one: TreeRow['asking'], other: TreeRow['asking']): boolean {
  return one === other || (one !== null && other !== null && one.since === other.since)
}

export function isOfSession(row: Row): row is TreeRow {
  return row.kind === 'session' || row.kind === 'diagnostic'
}
