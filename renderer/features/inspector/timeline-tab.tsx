import { useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { type CSSProperties, useMemo, useRef } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { errorText } from '../../app/error-text.ts'
import { openSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { rootOf } from '../../store/selectors.ts'
import { type SessionView, selectView } from '../../store/session-view.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatDuration, formatTime } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import inspector from './inspector.module.css'
import { type Lane, lanesOf, type Span, spanOf, ticksOf } from './lanes.ts'
import styles from './timeline.module.css'
import { useDescendants } from './use-descendants.ts'

const LANE = 26

/** One lane per agent of the tree: when it worked, and whose child it is. A press opens it. */
export function TimelineTab({ sessionId }: { readonly sessionId: SessionId }) {
  const root = useWorkbench(state => rootOf(state, sessionId))
  const view = useWorkbench(selectView(root))
  if (view?.kind !== 'session') return <p className={inspector.note}>Reading…</p>
  return <Timeline key={root} root={view} sessionId={sessionId} />
}

function Timeline({ root, sessionId }: { readonly root: SessionView; readonly sessionId: SessionId }) {
  const app = useApp()
  const below = useDescendants(root.id)
  const alive = root.rollup.running + root.rollup.waiting > 0 || root.status.state === 'running'
  const now = useNow(alive)
  const scroller = useRef<HTMLDivElement>(null)
  const entries = below.status === 'ready' ? below.value : NONE
  const live = useWorkbench(state => state.live)
  // biome-ignore lint/correctness/useExhaustiveDependencies: lanes follow what frames said
  const lanes = useMemo(() => lanesOf(app.store.getState(), root, entries, now), [root, entries, now, live])
  const span = spanOf(lanes, now)
  const virtualizer = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LANE,
    overscan: 8,
  })
  if (below.status === 'failed') {
    const { what, todo } = errorText(below.failure.code)
    return (
      <EmptyState
        icon="warning"
        title="The tree could not be read"
        action={
          <Button size="small" icon="retry" onClick={below.retry}>
            Retry
          </Button>
        }
      >
        {what} {todo}
      </EmptyState>
    )
  }
  return (
    <>
      <div className={styles.tools}>
        {formatTime(span.from, now)} – {alive ? 'now' : formatTime(span.to, now)}
        <span className={styles.length}>{formatDuration(span.to - span.from)}</span>
      </div>
      <div className={styles.axis} aria-hidden="true">
        {ticksOf(span).map(at => (
          <span key={at} className={styles.tickLabel} style={{ '--at': share(at, span) } as CSSProperties}>
            {formatTime(at, now)}
          </span>
        ))}
      </div>
      <div ref={scroller} className={styles.lanes} aria-busy={below.status === 'loading'}>
        <div className={styles.canvas} style={{ height: virtualizer.getTotalSize() }}>
          <div className={styles.ticks} aria-hidden="true">
            {ticksOf(span).map(at => (
              <i key={at} style={{ '--at': share(at, span) } as CSSProperties} />
            ))}
          </div>
          {virtualizer.getVirtualItems().map(item => {
            const lane = lanes[item.index]
            if (lane === undefined) return null
            return (
              <LaneRow
                key={lane.id}
                lane={lane}
                top={item.start}
                span={span}
                isSelected={lane.id === sessionId}
                onOpen={() => openSession(app, lane.id)}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

interface LaneRowProps {
  readonly lane: Lane
  readonly top: number
  readonly span: Span
  readonly isSelected: boolean
  readonly onOpen: () => void
}

function LaneRow({ lane, top, span, isSelected, onOpen }: LaneRowProps) {
  const { bar, label, depth, mark, tone } = lane
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
        {bar !== null && (
          <i
            className={clsx(styles.bar, styles[tone])}
            style={{ '--from': share(bar.from, span), '--to': share(bar.to, span) } as CSSProperties}
          />
        )}
      </span>
    </button>
  )
}

function share(at: number, { from, to }: Span): string {
  return `${(Math.min(1, Math.max(0, (at - from) / (to - from))) * 100).toFixed(2)}%`
}

const NONE: readonly never[] = []
