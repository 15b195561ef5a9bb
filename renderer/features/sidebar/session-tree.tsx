import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { setExpanded } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { labelOf } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import { OtherRowView } from './other-row.tsx'
import { Peek } from './peek.tsx'
import { RecordRowView } from './record-row.tsx'
import { isTreeRow, type Row } from './row.ts'
import styles from './session-tree.module.css'
import { type Expand, runOnRow, useTreeActions } from './tree-actions.ts'
import { commandOf, type TreeCommand, typeAhead } from './tree-keys.ts'
import { TreeRowView } from './tree-row.tsx'
import { useRoving } from './use-roving.ts'
import { useRows } from './use-rows.ts'
import { useTreeVirtualizer } from './use-tree-virtualizer.ts'

const TYPE_AHEAD_MS = 600

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
  const typed = useRef({ text: '', at: 0 })
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

  function onKeyDown(event: KeyboardEvent): void {
    if (!(event.target instanceof HTMLElement) || event.target.dataset['row'] === undefined) return
    if (event.key === 'Escape') setPeek(null)
    const withModifier = event.ctrlKey || event.metaKey || event.altKey
    const command =
      (isTyping(event)
        ? null
        : commandOf(rows, roving.index, { key: event.key, withModifier, withShift: event.shiftKey })) ??
      ahead(event, withModifier)
    if (command === null) return
    event.preventDefault()
    run(command)
  }

  /** A space inside a label that is being typed is not a wish to peek. */
  function isTyping(event: KeyboardEvent): boolean {
    const { text, at } = typed.current
    return event.key === ' ' && text !== '' && event.timeStamp - at < TYPE_AHEAD_MS
  }

  function ahead(event: KeyboardEvent, withModifier: boolean): TreeCommand | null {
    if (withModifier || event.key.length !== 1) return null
    const now = event.timeStamp
    const { text, at } = typed.current
    typed.current = { text: now - at < TYPE_AHEAD_MS ? text + event.key : event.key, at: now }
    return typeAhead(rows, roving.index, typed.current.text, row => textOf(app.store.getState(), row))
  }

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
            <OtherRowView
              key={row.key}
              row={row}
              top={top}
              isActive={row.key === roving.key}
              actions={actions}
            />
          ),
        )}
        <div role="tree" className={styles.tree} aria-label={label} aria-busy={busy || undefined}>
          {mounted.map(({ row, top }) => {
            if (!isTreeRow(row)) return null
            const isActive = row.key === roving.key
            if (row.kind === 'record') {
              return <RecordRowView key={row.key} row={row} top={top} isActive={isActive} actions={actions} />
            }
            const selected = row.id === open && row.asking === null
            const focused = isActive && roving.hasFocus
            return (
              <TreeRowView
                key={row.key}
                row={row}
                top={top}
                isActive={isActive}
                isFocused={focused}
                isSelected={selected}
                actions={actions}
              />
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

function textOf(state: Parameters<typeof viewOf>[0], row: Row): string {
  if (row.kind !== 'session' && row.kind !== 'diagnostic') return ''
  const view = viewOf(state, row.id)
  return view === null ? '' : labelOf(view)
}
