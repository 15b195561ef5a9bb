import { clsx } from 'clsx'
import { memo, type ReactNode } from 'react'
import styles from './status-mark.module.css'

export const MARK_KINDS = [
  'queued',
  'running',
  'waiting',
  'ready',
  'doneNew',
  'done',
  'failed',
  'stopped',
  'interrupted',
  'unreadable',
] as const
export type MarkKind = (typeof MARK_KINDS)[number]

/** All dots turn in phase: every animation starts at the page's time zero. */
function joinClock(element: SVGGElement | null): void {
  for (const animation of element?.getAnimations?.() ?? []) animation.startTime = 0
}

/** Round and moving is alive; tick, cross, square and broken ring are over. The shape alone tells them apart. */
const DRAWINGS: Readonly<Record<MarkKind, ReactNode>> = {
  queued: <circle cx="8" cy="8" r="4.25" className={styles.ring} />,
  running: (
    <>
      <circle cx="8" cy="8" r="5" className={styles.track} />
      <g className={styles.orbit} ref={joinClock}>
        <circle cx="8" cy="3" r="2.5" className={styles.solid} />
      </g>
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="6" className={styles.solid} />
      <path d="M8 4.9v3.6" className={styles.cut} />
      <circle cx="8" cy="11" r=".95" className={styles.cutDot} />
    </>
  ),
  ready: <circle cx="8" cy="8" r="2.25" className={styles.solid} />,
  doneNew: (
    <>
      <circle cx="8" cy="8" r="6" className={styles.solid} />
      <path d="m5.4 8.3 1.85 1.85L10.7 6.2" className={styles.cut} />
    </>
  ),
  done: <path d="m4 8.4 2.75 2.75L12.1 5" className={styles.stroke} />,
  failed: <path d="m4.6 4.6 6.8 6.8M11.4 4.6l-6.8 6.8" className={clsx(styles.stroke, styles.heavy)} />,
  stopped: <rect x="4.25" y="4.25" width="7.5" height="7.5" rx="1.25" className={styles.solid} />,
  interrupted: (
    <path
      d="M12.49 6.45A4.75 4.75 0 0 1 6.45 12.49M3.51 9.55A4.75 4.75 0 0 1 9.55 3.51"
      className={clsx(styles.stroke, styles.broken)}
    />
  ),
  unreadable: (
    <>
      <path d="M8 2.9 13.6 12.6H2.4z" className={clsx(styles.ring, styles.join)} />
      <path d="M8 6.4v2.7" className={styles.ring} />
      <circle cx="8" cy="10.9" r=".85" className={styles.solid} />
    </>
  ),
}

interface StatusMarkProps {
  readonly kind: MarkKind
  /** Edge of the box in px; 16 unless told. */
  readonly size?: number
  readonly className?: string | undefined
}

/** Decoration: the status is also a word in the name of whatever carries the mark. */
export const StatusMark = memo(function StatusMark({ kind, size = 16, className }: StatusMarkProps) {
  return (
    <svg
      className={clsx(styles.mark, styles[kind], className)}
      data-mark={kind}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {DRAWINGS[kind]}
    </svg>
  )
})
