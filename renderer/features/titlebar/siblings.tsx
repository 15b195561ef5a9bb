import { useEffect } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { SessionId } from '#shared/session/ids.ts'
import { openSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { labelOf } from '../../store/row-words.ts'
import { elapsedMs, selectView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { formatDuration } from '../../ui/format.ts'
import { MenuHead, MenuItem } from '../../ui/menu.tsx'
import { RollupMark } from '../../ui/rollup-mark.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'

const SHOWN = 60

/** The children of the same parent, or the roots of the same folder. Mounted when the menu opens. */
export function Siblings({ id }: { readonly id: SessionId }) {
  const app = useApp()
  const parent = useWorkbench(state => state.parents.get(id))
  const status = useWorkbench(state => (parent === undefined ? 'ready' : state.lists.get(parent)?.status))
  const ids = useWorkbench(useShallow(state => siblingsOf(state, id)))
  const head = useWorkbench(state => headOf(state, parent))
  useEffect(() => {
    if (parent !== undefined && app.store.getState().lists.get(parent)?.status !== 'ready')
      void app.children.load(parent)
  }, [app, parent])
  return (
    <>
      <MenuHead>{head}</MenuHead>
      {status !== 'ready' && (
        <MenuHead>{status === 'failed' ? 'They could not be read' : 'Reading…'}</MenuHead>
      )}
      {ids.slice(0, SHOWN).map(sibling => (
        <Sibling key={sibling} id={sibling} isCurrent={sibling === id} />
      ))}
      {ids.length > SHOWN && <MenuHead>{ids.length - SHOWN} more in the sidebar</MenuHead>}
    </>
  )
}

function Sibling({ id, isCurrent }: { readonly id: SessionId; readonly isCurrent: boolean }) {
  const app = useApp()
  const view = useWorkbench(selectView(id))
  const now = useNow(false)
  if (view === null) return null
  const elapsed = view.kind === 'session' ? elapsedMs(view, now) : null
  return (
    <MenuItem
      current={isCurrent}
      mark={<StatusMark kind={view.kind === 'diagnostic' ? 'unreadable' : view.status.mark} />}
      onSelect={() => openSession(app, id)}
      aside={
        <>
          {view.kind === 'session' && <RollupMark rollup={view.rollup} />}
          {elapsed !== null && elapsed > 0 && formatDuration(elapsed)}
        </>
      }
    >
      {labelOf(view)}
    </MenuItem>
  )
}

function siblingsOf(state: State, id: SessionId): readonly SessionId[] {
  const parent = state.parents.get(id)
  if (parent !== undefined) {
    const list = state.lists.get(parent)
    return list?.status === 'ready' ? list.entries.map(entry => entry.id) : []
  }
  const cwd = state.summaries.get(id)?.header.cwd
  return [...state.summaries.values()]
    .filter(summary => summary.header.cwd === cwd && !summary.archived)
    .map(summary => summary.header.id)
}

function headOf(state: State, parent: SessionId | undefined): string {
  if (parent === undefined) return 'Sessions in this folder'
  const view = viewOf(state, parent)
  return view === null ? 'Children of the same session' : `Children of ${labelOf(view)}`
}
