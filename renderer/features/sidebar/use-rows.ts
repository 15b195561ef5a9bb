import { useApp, useWorkbench } from '../../store/app-context.tsx'
import type { State, Store } from '../../store/state.ts'
import type { Row } from './row.ts'
import { createRows } from './rows.ts'

const selectors = new WeakMap<Store, (state: State) => readonly Row[]>()

/** The rows of the sidebar, made once for everything that shows them; the same list as before while it stays as it is. */
export function useRows(): readonly Row[] {
  return useWorkbench(selectorOf(useApp().store))
}

function selectorOf(store: Store): (state: State) => readonly Row[] {
  const held = selectors.get(store) ?? createRows()
  selectors.set(store, held)
  return held
}
