import { useVirtualizer } from '@tanstack/react-virtual'
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
import { formatClock, formatDuration, formatTime } from '../../ui/format.ts'
import inspector from './inspector.module.css'
import type { Activity } from './lane-activity.ts'
import { linksOf } from './lane-links.ts'
import { LaneRow, shareOf } from './lane-row.tsx'
import { type Lane, lanesOf, type Span, spanOf, ticksOf, tickWords } from './lanes.ts'
import styles from './timeline.module.css'
import { useDescendants } from './use-descendants.ts'
import { useLaneLogs } from './use-lane-logs.ts'

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
  const virtualizer = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LANE,
    overscan: 8,
  })
  const items = virtualizer.getVirtualItems()
  const shown = items.flatMap(item => lanes[item.index] ?? [])
  const logs = useLaneLogs(below.status === 'loading' ? NONE : shown)
  // Bars stand where they belong from the first: none is drawn until all in view are known.
  const drawn = useRef(false)
  if (shown.length > 0 && shown.every(lane => logs.has(lane.id))) drawn.current = true
  const span = spanOf(lanes, logs, now)
  const moves = lanes.some(lane => lane.alive)
  const { step, ticks } = ticksOf(span)
  // Where it ends now, that is said instead of the moments near it.
  const labels = moves ? ticks.filter(at => (at - span.from) / (span.to - span.from) < 0.8) : ticks
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
        {spanWords(span, now, moves)}
        <span className={styles.length}>{formatDuration(span.to - span.from)}</span>
      </div>
      <div className={styles.axis} aria-hidden="true">
        {drawn.current &&
          labels.map(at => (
            <span
              key={at}
              className={styles.tickLabel}
              style={{ '--at': shareOf(at, span) } as CSSProperties}
            >
              {tickWords(at, step)}
            </span>
          ))}
        {drawn.current && moves && <span className={styles.nowLabel}>now</span>}
      </div>
      <div ref={scroller} className={styles.lanes} aria-busy={below.status === 'loading'}>
        <div className={styles.canvas} style={{ height: virtualizer.getTotalSize() }}>
          <div className={styles.ticks} aria-hidden="true">
            {drawn.current &&
              ticks.map(at => <i key={at} style={{ '--at': shareOf(at, span) } as CSSProperties} />)}
            {drawn.current && moves && (
              <i className={styles.now} style={{ '--at': '100%' } as CSSProperties} />
            )}
          </div>
          {items.map(item => {
            const lane = lanes[item.index]
            if (lane === undefined) return null
            return (
              <LaneRow
                key={lane.id}
                lane={lane}
                top={item.start}
                span={span}
                now={now}
                activity={drawn.current ? (logs.get(lane.id) ?? null) : undefined}
                isSelected={lane.id === sessionId}
                onOpen={() => openSession(app, lane.id)}
              />
            )
          })}
          {drawn.current && (
            <div className={styles.links} aria-hidden="true">
              <Links lanes={lanes} logs={logs} span={span} />
            </div>
          )}
        </div>
      </div>
    </>
  )
}

/** From when to when, a day said once, to the second where minutes would be alike. */
function spanWords({ from, to }: Span, now: number, moves: boolean): string {
  if (to - from < 60_000) return `${formatClock(from)} – ${moves ? 'now' : formatClock(to)}`
  const sameDay = new Date(from).toDateString() === new Date(to).toDateString()
  const end = sameDay ? formatClock(to).slice(0, 5) : formatTime(to, now)
  return `${formatTime(from, now)} – ${moves ? 'now' : end}`
}

interface LinksProps {
  readonly lanes: readonly Lane[]
  readonly logs: ReadonlyMap<SessionId, Activity | null>
  readonly span: Span
}

function Links({ lanes, logs, span }: LinksProps) {
  return linksOf(lanes, logs).map(({ key, kind, parent, child, from, to }) => (
    <i
      key={key}
      className={kind === 'start' ? styles.started : styles.reported}
      style={
        {
          '--from': shareOf(from, span),
          '--to': shareOf(to, span),
          top: parent * LANE + LANE / 2 + 4,
          height: (child - parent) * LANE - (kind === 'start' ? 4 : 8),
        } as CSSProperties
      }
    />
  ))
}

const NONE: readonly never[] = []
