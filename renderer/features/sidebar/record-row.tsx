import { clsx } from 'clsx'
import { type CSSProperties, memo } from 'react'
import { shortId } from '#shared/session/ids.ts'
import { ModeMark } from '../../ui/mode-mark.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import type { RecordRow } from './row.ts'
import type { TreeActions } from './tree-actions.ts'
import styles from './tree-row.module.css'

interface RecordRowViewProps {
  readonly row: RecordRow
  readonly isActive: boolean
  readonly actions: TreeActions
}

/** A root whose header cannot be read: nobody's child, and shown all the same. */
export const RecordRowView = memo(function RecordRowView({ row, isActive, actions }: RecordRowViewProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles its keys
    <div
      role="treeitem"
      data-row={row.key}
      aria-label={`Record damaged, ${shortId(row.id)}, ${row.problem}`}
      aria-level={1}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-selected={false}
      tabIndex={isActive ? 0 : -1}
      className={clsx(styles.row, styles.two)}
      style={{ '--depth': 0 } as CSSProperties}
      onClick={() => actions.press(row)}
    >
      <ModeMark mode="unknown" className={styles.mode} />
      <span className={styles.label}>Record damaged</span>
      <span className={styles.mark}>
        <StatusMark kind="unreadable" />
      </span>
      <span className={clsx(styles.live, styles.reason)} title={row.problem}>
        <span className={styles.code}>{shortId(row.id)}</span> · {row.problem}
      </span>
    </div>
  )
})
