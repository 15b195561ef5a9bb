import { clsx } from 'clsx'
import styles from './rollup-mark.module.css'

export interface Rollup {
  readonly running: number
  readonly waiting: number
}

/** What happens below a row: amber when a descendant waits, else blue when one runs, else nothing. */
export function RollupMark({
  rollup,
  className,
}: {
  readonly rollup: Rollup
  readonly className?: string | undefined
}) {
  const waits = rollup.waiting > 0
  const count = waits ? rollup.waiting : rollup.running
  if (count <= 0) return null
  return (
    <span
      className={clsx(styles.rollup, waits ? styles.waits : styles.runs, className)}
      title={rollupText(rollup)}
    >
      <svg viewBox="0 0 13 16" aria-hidden="true">
        <path d="M2 3.5v5A2 2 0 0 0 4 10.5h1" />
        <circle cx="8.75" cy="10.5" r="2.5" />
      </svg>
      {count}
    </span>
  )
}

/** The roll-up in words, empty when nothing is alive below. */
export function rollupText({ running, waiting }: Rollup): string {
  if (waiting > 0) return `${waiting} ${waiting === 1 ? 'descendant' : 'descendants'} waiting for approval`
  return running > 0 ? `${running} ${running === 1 ? 'descendant' : 'descendants'} running` : ''
}
