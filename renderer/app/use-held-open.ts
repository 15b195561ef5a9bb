import { useEffect, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../store/app-context.tsx'
import { viewOf } from '../store/session-view.ts'
import type { State } from '../store/state.ts'

/** A page that takes longer than this to read is shown empty rather than not at all. */
const HOLD_MS = 150

/**
 * The session that the centre shows: the open one as soon as something of it can be drawn, until then, for a
 * moment, the one before it. A page that is blank for three frames is a flash.
 */
export function useHeldOpen(open: SessionId | null): {
  readonly shown: SessionId | null
  readonly holds: boolean
} {
  const [shown, setShown] = useState(open)
  const drawable = useWorkbench(state => open === null || shown === null || isDrawable(state, open))
  if (drawable && shown !== open) setShown(open)
  const holds = shown !== open && !drawable
  useEffect(() => {
    if (!holds) return
    const timer = setTimeout(() => setShown(open), HOLD_MS)
    return () => clearTimeout(timer)
  }, [holds, open])
  return { shown: drawable ? open : shown, holds }
}

function isDrawable(state: State, id: SessionId): boolean {
  const status = state.transcripts.get(id)?.status.kind
  return (status !== undefined && status !== 'loading') || viewOf(state, id)?.kind === 'diagnostic'
}
