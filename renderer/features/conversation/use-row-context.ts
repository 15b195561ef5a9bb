import { type ReactNode, useMemo } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { shortId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { labelOf } from '../../store/row-words.ts'
import { selectDetail } from '../../store/selectors.ts'
import { viewOf } from '../../store/session-view.ts'
import type { ApprovalRow, MessageRow } from './row.ts'
import type { RowContext } from './row-view.tsx'

/** What rows need to know beyond themselves. Stays the same object while nothing of it changes. */
export function useRowContext(
  sessionId: SessionId,
  onToggle: (key: string) => void,
  renderApproval: (row: ApprovalRow) => ReactNode,
): RowContext {
  const { store } = useApp()
  const detail = useWorkbench(selectDetail(sessionId))
  const view = useWorkbench(state => viewOf(state, sessionId))
  const label = view !== null ? labelOf(view) : (detail?.label ?? shortId(sessionId))
  const parentLabel = detail?.lineage.at(-2)?.label ?? null
  const parentId = detail?.header.parentSession ?? null
  return useMemo(() => {
    const known = (id: SessionId) => {
      const found = viewOf(store.getState(), id)
      return found === null ? null : labelOf(found)
    }
    const parent = () => parentLabel ?? (parentId === null ? null : known(parentId))
    const authorOf = ({ source, label: logged }: MessageRow): string => {
      if (source.kind === 'person') return 'You'
      const named = logged ?? (source.from === undefined ? null : known(source.from))
      if (named !== null) return named
      return source.kind === 'parent'
        ? (parent() ?? 'Parent')
        : source.from === undefined
          ? 'A child'
          : shortId(source.from)
    }
    return { label, authorOf, contextFrom: parent() ?? 'its parent', onToggle, renderApproval }
  }, [store, label, parentLabel, parentId, onToggle, renderApproval])
}
