import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentDescendantEntry } from '#shared/subagent/catalog-entry.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { viewOf } from '../../store/session-view.ts'
import { type Called, useCall } from '../../store/use-call.ts'

/** Everything below a session, read again when its tree changes, and not before what was opened is there to be read. */
export function useDescendants(
  rootId: SessionId,
): Called<readonly SubagentDescendantEntry[]> & { readonly retry: () => void } {
  const app = useApp()
  const version = useWorkbench(state => {
    const view = viewOf(state, rootId)
    return view?.kind === 'session'
      ? `${view.rollup.running} ${view.rollup.waiting} ${view.status.state}`
      : ''
  })
  const isShown = useWorkbench(({ open, transcripts, lists }) => {
    if (open === null) return true
    return transcripts.get(open)?.status.kind !== 'loading' && lists.get(open)?.status !== 'loading'
  })
  return useCall(isShown ? `${rootId}\n${version}` : null, async signal => {
    const { entries } = await app.client.subagents.descendants(
      { rootId, with: ['facts', 'detail'] },
      { signal },
    )
    return entries
  })
}
