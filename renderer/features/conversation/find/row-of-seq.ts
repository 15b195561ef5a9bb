import type { Row } from '../row.ts'

/** Index of the row that shows an event; −1 when no row does yet. */
export function rowOfSeq(rows: readonly Row[], seq: number): number {
  const exact = rows.findIndex(row => row.seq === seq || (row.kind === 'tool' && row.resultSeq === seq))
  if (exact !== -1) return exact
  return rows.findLastIndex(row => row.kind !== 'approval' && row.kind !== 'inherited' && row.seq <= seq)
}
