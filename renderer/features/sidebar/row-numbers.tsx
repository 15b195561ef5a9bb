import { useNow } from '../../store/clock.ts'
import { elapsedMs, isTicking, type SessionView, waitsSince } from '../../store/session-view.ts'
import { formatAgo, formatCost, formatDuration, formatExact, formatTokens } from '../../ui/format.ts'
import styles from './tree-row.module.css'

/**
 * Elapsed time in turns; of one that waits, how long it does; of a root at rest, how long ago it was last used.
 * Only a moving time renders again.
 */
export function RowTime({
  view,
  askedSince,
}: {
  readonly view: SessionView
  readonly askedSince: number | null
}) {
  const now = useNow(askedSince !== null || isTicking(view) || waitsSince(view) !== null)
  const { text, title } = timeOf(view, askedSince, now)
  return (
    <span className={styles.time} title={title}>
      {text}
    </span>
  )
}

function timeOf(
  view: SessionView,
  askedSince: number | null,
  now: number,
): { text: string; title: string | undefined } {
  if (askedSince !== null) return { text: formatDuration(now - askedSince), title: formatExact(askedSince) }
  if (view.status.state === 'queued') return { text: 'Queued', title: undefined }
  const waiting = waitsSince(view)
  if (waiting !== null) {
    const worked = formatDuration(elapsedMs(view, now) ?? 0)
    return {
      text: formatDuration(now - waiting),
      title: `Waits since ${formatExact(waiting)}, after ${worked} in turns of its own`,
    }
  }
  const alive = view.status.state === 'running' || view.status.state === 'waiting'
  const { lastActivity } = view.facts
  if (view.mode === 'session' && !alive) {
    if (lastActivity === undefined || lastActivity === null) return { text: '', title: undefined }
    return { text: formatAgo(lastActivity, now), title: formatExact(lastActivity) }
  }
  const elapsed = elapsedMs(view, now)
  return { text: elapsed === null ? '' : formatDuration(elapsed), title: undefined }
}

/** Made once: `toLocaleString` makes one anew for each row and frame. */
const EXACT = new Intl.NumberFormat()

export function RowTokens({ view, hidden }: { readonly view: SessionView; readonly hidden: boolean }) {
  const { tokens } = view.facts
  if (hidden || tokens === undefined || tokens === 0) return null
  return (
    <span className={styles.tokens} title={`${EXACT.format(tokens)} tokens`}>
      {formatTokens(tokens)}
    </span>
  )
}

/** Unknown is not zero: without a price nothing is shown. What costs nothing has no price worth a place. */
export function RowCost({ view }: { readonly view: SessionView }) {
  const { costUsd } = view.facts
  if (costUsd === undefined || costUsd === null || costUsd === 0) return null
  return <span className={styles.cost}>{formatCost(costUsd)}</span>
}
