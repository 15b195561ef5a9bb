import type { ReactNode } from 'react'
import styles from './empty-state.module.css'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Teaches one thing and offers at most one action. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={20} className={styles.icon} />
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}
