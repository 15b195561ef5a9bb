import { clsx } from 'clsx'
import { type CSSProperties, memo, useState } from 'react'
import { diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { rowName, secondLine } from '../../store/row-words.ts'
import { activeChildrenOf } from '../../store/selectors.ts'
import { selectView } from '../../store/session-view.ts'
import { Icon } from '../../ui/icon.tsx'
import { ModeMark } from '../../ui/mode-mark.tsx'
import { RollupMark } from '../../ui/rollup-mark.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { indentOf, type TreeRow } from './row.ts'
import { RowActions } from './row-actions.tsx'
import { RowCost, RowTime, RowTokens } from './row-numbers.tsx'
import type { TreeActions } from './tree-actions.ts'
import styles from './tree-row.module.css'

interface TreeRowViewProps {
  readonly row: TreeRow
  /** The row that Tab reaches. */
  readonly isActive: boolean
  readonly isFocused: boolean
  readonly isSelected: boolean
  readonly actions: TreeActions
}

/** One session, child or unreadable record. It selects its own detail, so a change renders one row. */
export const TreeRowView = memo(function TreeRowView(props: TreeRowViewProps) {
  const { row, isActive, isFocused, isSelected, actions } = props
  const view = useWorkbench(selectView(row.id))
  const activeChildren = useWorkbench(state => activeChildrenOf(state, row.id))
  const [hovered, setHovered] = useState(false)
  if (view === null) return null
  const isRoot = view.kind === 'session' && view.mode === 'session'
  const flat = isRoot || row.asking !== null
  const line = row.two ? secondLine(view, activeChildren) : null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles its keys
    <div
      role="treeitem"
      data-row={row.key}
      aria-label={rowName(view)}
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-selected={isSelected}
      {...(row.expanded !== null && { 'aria-expanded': row.expanded })}
      tabIndex={isActive ? 0 : -1}
      className={clsx(
        styles.row,
        flat && styles.session,
        row.two && styles.two,
        isSelected && styles.selected,
      )}
      style={{ '--depth': indentOf(row.depth) } as CSSProperties}
      onPointerDown={event => event.button === 0 && actions.prepare(row)}
      onClick={() => actions.press(row)}
      // A row that scrolls under a resting pointer is not hovered: no buttons are made for it.
      onPointerMove={hovered ? undefined : () => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      {row.depth > 0 && <span className={styles.guides} />}
      {row.expanded !== null && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Left and Right of the row do the same
        // biome-ignore lint/a11y/noStaticElementInteractions: drawn inside its row, which is the control
        <span
          className={styles.twist}
          data-twist=""
          onClick={event => {
            event.stopPropagation()
            actions.twist(row)
          }}
        >
          <Icon name={row.expanded ? 'chevronDown' : 'chevronRight'} size={12} />
        </span>
      )}
      {!flat && <ModeMark mode={modeOf(view)} className={styles.mode} />}
      {view.kind === 'diagnostic' ? (
        <span className={styles.label}>{diagnosticWord(view.entry)}</span>
      ) : (
        <span className={clsx(styles.label, view.isUnnamed && styles.mono)} dir="auto">
          {view.label}
        </span>
      )}
      {view.kind === 'session' && <RollupMark rollup={view.rollup} className={styles.rollup} />}
      <span className={styles.mark}>
        <StatusMark kind={view.kind === 'diagnostic' ? 'unreadable' : view.status.mark} />
      </span>
      {hovered || isFocused ? (
        <RowActions view={view} row={row} />
      ) : (
        view.kind === 'session' && (
          <>
            <RowTime view={view} askedSince={row.asking?.since ?? null} />
            <RowTokens view={view} hidden={row.asking !== null} />
          </>
        )
      )}
      {line !== null && (
        <span
          className={clsx(
            styles.live,
            styles[line.tone],
            line.code === '' && line.tone === 'asks' && styles.late,
          )}
        >
          {line.words}
          {line.code !== '' && <span className={styles.code}>{line.code}</span>}
          {line.end}
        </span>
      )}
      {row.two && view.kind === 'session' && row.asking === null && <RowCost view={view} />}
    </div>
  )
})

function modeOf(
  view: NonNullable<ReturnType<ReturnType<typeof selectView>>>,
): 'continuable' | 'one-shot' | 'unknown' {
  if (view.kind === 'diagnostic' || view.mode === 'session') return 'unknown'
  return view.mode
}
