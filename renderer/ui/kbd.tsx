import { clsx } from 'clsx'
import styles from './kbd.module.css'

interface KeysProps {
  readonly keys: readonly string[]
  readonly className?: string | undefined
}

/** A key combination for the eye; `aria-keyshortcuts` on the control tells it to others. */
export function Keys({ keys, className }: KeysProps) {
  return (
    <span className={clsx(styles.keys, className)} aria-hidden="true">
      {keys.map(key => (
        <kbd key={key} className={styles.kbd}>
          {key}
        </kbd>
      ))}
    </span>
  )
}
