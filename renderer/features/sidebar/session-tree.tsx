import { useCallback, useEffect, useRef, useState } from 'react'
import { setExpanded } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { MountedRow } from './mounted-row.tsx'
import { OtherRowView } from './other-row.tsx'
import { Peek } from './peek.tsx'
import { RecordRowView } from './record-row.tsx'
import { isTreeRow, ROW_HEIGHT, type Row } from './row.ts'
import styles from './session-tree.module.css'
import { type Expand, runOnRow, useTreeActions } from './tree-actions.ts'
import type { TreeCommand } from './tree-keys.ts'
import { TreeRowView } from './tree-row.tsx'
import { useRoving } from './use-roving.ts'
import { useRows } from './use-rows.ts'
import { useTreeKeys } from './use-tree-keys.ts'
import { useTreeVirtualizer } from './use-tree-virtualizer.ts'

/** The sidebar's tree. */
export function SessionTree() {
  const app = useApp()
  const rows = useRows()
  const loading = useWorkbench(state => state.roots.status === 'loading')
  const expand = useCallback<Expand>((id, expanded) => setExpanded(app, id, expanded), [app])
  const narrowed = useWorkbench(state => `${state.filter} ${state.query}`)
  return <TreeView rows={rows} label="Sessions" busy={loading} expand={expand} narrowed={narrowed} />
}

interface TreeViewProps {
  readonly rows: readonly Row[]
  readonly label: string
  readonly busy: boolean
  readonly expand: Expand
  /** Other words or another filter: what is left is shown from its first row. */
  readonly narrowed?: string
}

/** Only the rows near the view are mounted, and the one that holds the focus. */
export function TreeView({ rows, label, busy, expand, narrowed = '' }: TreeViewProps) {
  const app = useApp()
  const open = useWorkbench(state => state.open)
  const scroller = useRef<HTMLDivElement>(null)
  const roving = useRoving(rows, open, scroller)
  const { items, totalSize } = useTreeVirtualizer(rows, roving.index, scroller, roving.request)
  const [peek, setPeek] = useState<string | null>(null)
  const actions = useTreeActions(roving.setKey, setPeek, expand)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another search moves the list
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [narrowed])

  function run(command: TreeCommand): void {
    if (command.kind === 'focus') {
      setPeek(null)
      roving.focus(command.key)
      return
    }
    if (command.kind === 'peek') setPeek(key => (key === command.row.key ? null : command.row.key))
    else runOnRow(app, command, expand)
  }

  const onKeyDown = useTreeKeys({
    rows,
    index: roving.index,
    page: () => pageOf(scroller.current),
    run,
    onEscape: () => setPeek(null),
  })
  const mounted = items.flatMap(item => {
    const row = rows[item.index]
    return row === undefined ? [] : [{ row, top: item.start }]
  })
  const peeked = mounted.find(({ row }) => row.key === peek)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the rows inside
    <div ref={scroller} className={styles.scroller} onKeyDown={onKeyDown} {...roving.handlers}>
      <div className={styles.canvas} style={{ height: totalSize }}>
        {mounted.map(({ row, top }) =>
          isTreeRow(row) ? null : (
            <MountedRow key={row.key} top={top}>
              <OtherRowView row={row} isActive={row.key === roving.key} actions={actions} />
            </MountedRow>
          ),
        )}
        <div role="tree" className={styles.tree} aria-label={label} aria-busy={busy || undefined}>
          {mounted.map(({ row, top }) => {
            if (!isTreeRow(row)) return null
            const isActive = row.key === roving.key
            return (
              <MountedRow key={row.key} top={top}>
                {row.kind === 'record' ? (
                  <RecordRowView row={row} isActive={isActive} actions={actions} />
                ) : (
                  <TreeRowView
                    row={row}
                    isActive={isActive}
                    isFocused={isActive && roving.hasFocus}
                    isSelected={row.id === open && row.asking === null}
                    actions={actions}
                  />
                )}
              </MountedRow>
            )
          })}
        </div>
      </div>
      {peeked !== undefined && isTreeRow(peeked.row) && peeked.row.kind !== 'record' && (
        <Peek id={peeked.row.id} rowKey={peeked.row.key} scroller={scroller} />
      )}
    </div>
  )
}

/** One row of the page before stays in view. */
function pageOf(scroller: HTMLElement | null): number {
  return Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 1)
}
