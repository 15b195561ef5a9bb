import type { Access } from '#shared/contract/session-shapes.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './read-only-notice.module.css'

interface ReadOnlyNoticeProps {
  readonly access: Extract<Access, { kind: 'read-only' }>
  readonly onFork: () => void
}

/** Instead of a box that takes nothing: why, and the way on. */
export function ReadOnlyNotice({ access, onFork }: ReadOnlyNoticeProps) {
  return (
    <div className={styles.notice} role="status">
      <Icon name="receipt" className={styles.icon} />
      <p dir="auto">{access.reason}</p>
      {access.canFork && (
        <Button icon="branch" onClick={onFork}>
          Continue in a new session
        </Button>
      )}
    </div>
  )
}
