import { countChanges } from '../../markdown/diff-lines.ts'
import type { Row } from './row.ts'

const SMALL_DIFF = 12

/** A small edit shows itself; everything else that folds starts folded. */
export function opensByDefault(row: Row): boolean {
  if (row.kind !== 'tool' || row.result?.diff === undefined) return false
  const known = opens.get(row.result)
  if (known !== undefined) return known
  const { added, removed } = countChanges(row.result.diff)
  const small = added + removed > 0 && added + removed <= SMALL_DIFF
  opens.set(row.result, small)
  return small
}

/** A layout asks for every row: a diff is counted once. */
const opens = new WeakMap<object, boolean>()

/** Px between a row and the one above it. Tool lines stand close, cards of one list touch. */
export function gapAbove(above: Row | undefined, row: Row, isOpen: (row: Row) => boolean): number {
  if (above === undefined) return 0
  const aboveLine = above.kind === 'tool' && !isOpen(above)
  const line = row.kind === 'tool' && !isOpen(row)
  if (aboveLine && line) return 0
  if (sharesList(above, row)) return 0
  return aboveLine || line ? 8 : 10
}

/** Cards of children that one turn started, one after the other, are one list. */
export function sharesList(above: Row | undefined, row: Row | undefined): boolean {
  return above?.kind === 'delegate' && row?.kind === 'delegate' && above.turn === row.turn
}
