import { useState } from 'react'
import type { Row } from './row.ts'

/** The keys of the rows: the same list while text only grows, so that the layout above it is kept. */
export function useRowKeys(rows: readonly Row[]): readonly string[] {
  const [held, setHeld] = useState<readonly string[]>([])
  if (held.length === rows.length && rows.every((row, index) => row.key === held[index])) return held
  const next = rows.map(row => row.key)
  setHeld(next)
  return next
}
