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
/** Share of the span that a bar takes before it has notches. */
const LEAST_BAR = 0.06

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
  const all = withUnread(turns.map(closed), activity?.whole === false ? bar : null)
  const begins = activity?.whole === false && bar !== null ? bar.from : span.to
  const whole = { from: Math.min(begins, all[0]?.from ?? span.from), to: all.at(-1)?.to ?? span.to }
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
      {notches(activity?.calls ?? [], all, span).map(at => (
        <i key={at} className={styles.notch} style={{ '--from': at } as CSSProperties} />
      ))}
    </>
  )
}

interface Closed {
  readonly from: number
  readonly to: number
}

/** What was not read of a lone turn is as long as its agent's time says; of several nothing is made up. */
function withUnread(turns: readonly Closed[], bar: Lane['bar']): readonly Closed[] {
  const [first, ...others] = turns
  if (first === undefined || bar === null || others.length > 0) return turns
  return [{ from: Math.min(first.from, bar.from), to: first.to }]
}

/** Calls too near to tell apart are one notch, and a short bar has none: full of them it says nothing. */
function notches(calls: readonly number[], turns: readonly Closed[], span: Span): readonly string[] {
  const length = span.to - span.from
  const roomy = turns.filter(({ from, to }) => to - from > length * LEAST_BAR)
  let last = Number.NEGATIVE_INFINITY
  const told = calls.filter(at => {
    if (at - last < length * LEAST_GAP || !roomy.some(({ from, to }) => from < at && at < to)) return false
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
