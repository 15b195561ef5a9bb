import { useState } from 'react'
import { useWorkbench } from '../../store/app-context.tsx'
import type { State } from '../../store/state.ts'
import type { Row } from './row.ts'
import { rowsOf } from './rows.ts'

const FIELDS = [
  'summaries',
  'entries',
  'lists',
  'live',
  'unseen',
  'approvals',
  'details',
  'parents',
  'unreadable',
  'expanded',
  'closedGroups',
  'fullGroups',
  'query',
  'filter',
  'sort',
] as const satisfies readonly (keyof State)[]

/** The rows of the sidebar, the same list as before when nothing they show changed. */
export function useRows(): readonly Row[] {
  const [select] = useState(() => createRowsSelector(rowsOf))
  return useWorkbench(select)
}

/** Rows that `compute` makes of a state, made again only when something that rows show has changed. */
export function createRowsSelector(
  compute: (state: State, previous: readonly Row[]) => readonly Row[] = rowsOf,
): (state: State) => readonly Row[] {
  let before: State | null = null
  let rows: readonly Row[] = []
  return state => {
    const held = before
    if (held !== null && FIELDS.every(field => held[field] === state[field])) return rows
    before = state
    rows = compute(state, rows)
    return rows
  }
}
