import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import styles from './fold.module.css'

interface FoldProps {
  readonly icon: IconName
  readonly label: string
  readonly open: boolean
  readonly onToggle: () => void
  readonly children?: ReactNode
}

/** One quiet line that opens. */
export function Fold({ icon, label, open, onToggle, children }: FoldProps) {
  return (
    <div>
      <button type="button" className={styles.fold} aria-expanded={open} onClick={onToggle}>
        <Icon name={icon} size={14} />
        <span dir="auto">{label}</span>
        <Icon name={open ? 'chevronDown' : 'chevronRight'} size={11} className={styles.twist} />
      </button>
      {open && children !== undefined && <div className={styles.inside}>{children}</div>}
    </div>
  )
}
