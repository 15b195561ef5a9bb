import { clsx } from 'clsx'
import type { CSSProperties } from 'react'
import { formatDuration } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import type { Activity, Stretch } from './lane-activity.ts'
import { endOf, type Lane, type Span } from './lanes.ts'
import styles from './timeline.module.css'

interface LaneRowProps {
  readonly lane: Lane
  readonly top: number
  readonly span: Span
  readonly now: number
  /** `undefined` while its log is read: nothing is drawn that would have to move. */
  readonly activity: Activity | null | undefined
  readonly isSelected: boolean
  readonly onOpen: () => void
}

/** Share of the span between two notches. */
const LEAST_GAP = 0.025

/** One agent: its name, and its turns with their calls. A press opens it. */
export function LaneRow({ lane, top, span, now, activity, isSelected, onOpen }: LaneRowProps) {
  const { bar, label, depth, mark } = lane
  const time = bar === null ? '' : `, ${formatDuration(bar.to - bar.from)}`
  return (
    <button
      type="button"
      className={clsx(styles.lane, isSelected && styles.selected)}
      style={{ transform: `translateY(${top}px)`, '--depth': Math.min(depth, 8) } as CSSProperties}
      aria-label={`Open ${label}${time}`}
      {...(isSelected && { 'aria-current': 'true' as const })}
      onClick={onOpen}
    >
      <span className={styles.name}>
        <StatusMark kind={mark} size={13} />
        <span dir="auto">{label}</span>
      </span>
      <span className={styles.plot}>
        {activity !== undefined && <Bars lane={lane} activity={activity} span={span} now={now} />}
      </span>
    </button>
  )
}

type BarsProps = Pick<LaneRowProps, 'lane' | 'span' | 'now'> & { readonly activity: Activity | null }

function Bars({ lane, activity, span, now }: BarsProps) {
  const turns = activity?.turns ?? []
  const { bar, tone } = lane
  if (turns.length === 0) {
    return bar === null ? null : <i className={clsx(styles.bar, styles[tone])} style={placed(bar, span)} />
  }
  const closed = (one: Stretch) => ({ from: one.from, to: one.to ?? endOf(lane, one.from, now) })
  const all = turns.map(closed)
  const whole = { from: all[0]?.from ?? span.from, to: all.at(-1)?.to ?? span.to }
  return (
    <>
      <i className={styles.idle} style={placed(whole, span)} />
      {all.map(turn => (
        <i
          key={turn.from}
          className={clsx(styles.bar, styles[tone === 'wait' || tone === 'queue' ? 'run' : tone])}
          style={placed(turn, span)}
        />
      ))}
      {activity?.waits.map(closed).map(wait => (
        <i key={`wait ${wait.from}`} className={clsx(styles.bar, styles.wait)} style={placed(wait, span)} />
      ))}
      {notches(activity?.calls ?? [], span).map(at => (
        <i key={at} className={styles.notch} style={{ '--from': at } as CSSProperties} />
      ))}
    </>
  )
}

/** Calls too near to tell apart are one notch: a bar full of them says nothing. */
function notches(calls: readonly number[], span: Span): readonly string[] {
  const least = (span.to - span.from) * LEAST_GAP
  let last = Number.NEGATIVE_INFINITY
  const told = calls.filter(at => {
    if (at - last < least) return false
    last = at
    return true
  })
  return told.map(at => shareOf(at, span))
}

function placed({ from, to }: { readonly from: number; readonly to: number }, span: Span): CSSProperties {
  return { '--from': shareOf(from, span), '--to': shareOf(to, span) } as CSSProperties
}

export function shareOf(at: number, { from, to }: Span): string {
  return `${(Math.min(1, Math.max(0, (at - from) / (to - from))) * 100).toFixed(1)}%`
}
