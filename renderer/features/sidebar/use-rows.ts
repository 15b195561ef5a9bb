import { useState } from 'react'
import { useWorkbench } from '../../store/app-context.tsx'
import type { State } from '../../store/state.ts'
import { type Row, rowsOf } from './rows.ts'

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
  const [select] = useState(createRowsSelector)
  return useWorkbench(select)
}

export function createRowsSelector(): (state: State) => readonly Row[] {
  let before: State | null = null
  let rows: readonly Row[] = []
  return state => {
    const held = before
    if (held !== null && FIELDS.every(field => held[field] === state[field])) return rows
    before = state
    rows = rowsOf(state, rows)
    return rows
  }
}
