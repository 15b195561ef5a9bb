import type { ReactNode } from 'react'
import styles from './session-tree.module.css'

/** Where a row stands. A row that moves is not rendered again: only this is. */
export function MountedRow({ top, children }: { readonly top: number; readonly children: ReactNode }) {
  return (
    <div role="presentation" className={styles.place} style={{ transform: `translateY(${top}px)` }}>
      {children}
    </div>
  )
}
