import { clsx } from 'clsx'
import { type CSSProperties, memo } from 'react'
import { errorText } from '../../app/error-text.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './other-row.module.css'
import { indentOf, type OtherRow } from './row.ts'
import type { TreeActions } from './tree-actions.ts'

interface OtherRowViewProps {
  readonly row: OtherRow
  readonly isActive: boolean
  readonly actions: TreeActions
}

/** Headers and what else stands between tree rows. The arrow keys reach them as they reach rows. */
export const OtherRowView = memo(function OtherRowView({ row, isActive, actions }: OtherRowViewProps) {
  const style = { '--depth': 'depth' in row ? indentOf(row.depth) : 0 } as CSSProperties
  const shared = {
    'data-row': row.key,
    tabIndex: isActive ? 0 : -1,
    onClick: () => actions.press(row),
    style,
  }
  switch (row.kind) {
    case 'group':
      return (
        <button
          type="button"
          {...shared}
          aria-expanded={row.open}
          className={clsx(styles.group, row.needs && styles.needs, row.first && styles.first)}
        >
          <span className={styles.twist}>
            <Icon name={row.open ? 'chevronDown' : 'chevronRight'} size={12} />
          </span>
          <span className={styles.label}>{row.label}</span>
          {(row.needs || row.group === 'working' || !row.open) && (
            <span className={styles.count}>{row.count}</span>
          )}
        </button>
      )
    case 'more':
      return (
        <button type="button" {...shared} className={styles.more}>
          Show {row.hidden.toLocaleString()} more
        </button>
      )
    case 'failed':
      return <FailedRow row={row} shared={shared} />
    case 'loading':
      return (
        <div className={styles.loading} style={style} role="status">
          Reading children…
        </div>
      )
  }
})

function FailedRow({
  row,
  shared,
}: {
  readonly row: Extract<OtherRow, { kind: 'failed' }>
  readonly shared: object
}) {
  const list = useWorkbench(state => state.lists.get(row.parentId))
  const failure = list?.status === 'failed' || list?.status === 'ready' ? list.failure : null
  const why = failure === null ? '' : errorText(failure.code).what
  return (
    <button type="button" {...shared} className={styles.failed} title={failure?.detail}>
      <Icon name="retry" size={14} />
      <span className={styles.label}>Children could not be read. Retry</span>
      <span className={styles.why}>{why}</span>
    </button>
  )
}
