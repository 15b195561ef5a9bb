import { useDeferredValue, useEffect, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../store/app-context.tsx'
import { viewOf } from '../store/session-view.ts'
import type { State } from '../store/state.ts'

/** A page that takes longer than this to read is shown empty rather than not at all. */
const HOLD_MS = 150

/**
 * The session that the centre shows: the open one as soon as something of it can be drawn, until then, for a
 * moment, the one before it. A page that is blank for three frames is a flash. `holds`: what is shown is not what is open,
 * and takes no keys.
 */
export function useHeldOpen(open: SessionId | null): {
  readonly shown: SessionId | null
  readonly holds: boolean
} {
  const [shown, setShown] = useState(open)
  const drawable = useWorkbench(state => {
    if (open === null) return true
    return !opensRows(state, open) && (shown === null || isDrawable(state, open))
  })
  if (drawable && shown !== open) setShown(open)
  const waits = shown !== open && !drawable
  useEffect(() => {
    if (!waits) return
    const timer = setTimeout(() => setShown(open), HOLD_MS)
    return () => clearTimeout(timer)
  }, [waits, open])
  // Its page takes long to draw for the first time: what came with it is painted before.
  const drawn = useDeferredValue(drawable ? open : shown)
  return { shown: drawn, holds: drawn !== open }
}

/** Rows that open with it are small and were looked at when it was pressed: they are drawn before its page. */
function opensRows(state: State, id: SessionId): boolean {
  return state.expanded.has(id) && state.lists.get(id)?.status === 'loading'
}

function isDrawable(state: State, id: SessionId): boolean {
  const status = state.transcripts.get(id)?.status.kind
  return (status !== undefined && status !== 'loading') || viewOf(state, id)?.kind === 'diagnostic'
}
