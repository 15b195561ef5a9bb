import { useCallback, useEffect, useMemo, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { createTreeRows } from './rows.ts'
import styles from './sample-tree.module.css'
import { TreeView } from './session-tree.tsx'
import type { Expand } from './tree-actions.ts'

/** A small tree with all its rows open, live. What is folded here is not folded in the sidebar. */
export function SampleTree({ rootId }: { readonly rootId: SessionId }) {
  const app = useApp()
  const [folded, setFolded] = useState<ReadonlySet<SessionId>>(new Set())
  const select = useMemo(() => createTreeRows(rootId, id => !folded.has(id)), [rootId, folded])
  const rows = useWorkbench(select)
  const lists = useWorkbench(state => state.lists)
  useEffect(() => {
    for (const row of rows)
      if (row.kind === 'session' && row.expanded === true && !lists.has(row.id))
        void app.children.load(row.id)
  }, [app, rows, lists])
  const expand = useCallback<Expand>((id, expanded) => {
    setFolded(held => {
      const next = new Set(held)
      if (expanded) next.delete(id)
      else next.add(id)
      return next
    })
  }, [])
  return (
    <div className={styles.sample}>
      <TreeView rows={rows} label="Sample tree" busy={false} expand={expand} />
    </div>
  )
}
