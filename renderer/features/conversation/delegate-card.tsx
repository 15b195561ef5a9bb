import { clsx } from 'clsx'
import { memo } from 'react'
import { shortId } from '#shared/session/ids.ts'
import { diagnosticReason, diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { openSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { selectValue } from '../../store/projections.ts'
import { secondLine } from '../../store/row-words.ts'
import { activeChildrenOf } from '../../store/selectors.ts'
import { elapsedMs, isTicking, type SessionView, viewOf, waitsSince } from '../../store/session-view.ts'
import { Button } from '../../ui/button.tsx'
import { formatCost, formatDuration, formatTokens } from '../../ui/format.ts'
import { ModeMark } from '../../ui/mode-mark.tsx'
import { RollupMark } from '../../ui/rollup-mark.tsx'
import { type MarkKind, StatusMark } from '../../ui/status-mark.tsx'
import styles from './delegate-card.module.css'
import type { DelegateRow } from './row.ts'

interface DelegateCardProps {
  readonly row: DelegateRow
  readonly joinsAbove: boolean
  readonly joinsBelow: boolean
}

/** A child where it was started: what its row says, and the way to it. */
export const DelegateCard = memo(function DelegateCard({ row, joinsAbove, joinsBelow }: DelegateCardProps) {
  const app = useApp()
  const known = useWorkbench(state => viewOf(state, row.childId))
  const active = useWorkbench(state => activeChildrenOf(state, row.childId))
  const view = known?.kind === 'session' ? known : null
  const cost = view?.facts.costUsd
  const tokens = view?.facts.tokens
  const label = view?.label ?? (row.label || shortId(row.childId))
  const second = view === null ? null : secondLine(view, active)
  // What is odd about its record stands in its row; here it would hide what the child said.
  const live = second?.tone === 'reason' ? null : second
  const last = useWorkbench(selectValue(row.childId, 'lastMessage'))
  return (
    <article
      className={clsx(styles.delegate, joinsAbove && styles.below, joinsBelow && styles.above)}
      aria-label={label}
    >
      <StatusMark
        kind={known?.kind === 'diagnostic' ? 'unreadable' : (view?.status.mark ?? loggedMark(row))}
      />
      <span className={styles.label}>
        <span className={styles.name} dir="auto">
          {label}
        </span>
        {view !== null && view.mode !== 'session' && <ModeMark mode={view.mode} className={styles.mode} />}
        {view !== null && <RollupMark rollup={view.rollup} className={styles.rollup} />}
      </span>
      <span className={styles.nums}>{view === null ? loggedTime(row) : <Elapsed view={view} />}</span>
      <Button
        size="small"
        className={styles.open}
        aria-label={`Open ${label}`}
        onClick={() => openSession(app, row.childId)}
      >
        Open
      </Button>
      <span className={clsx(styles.line, live?.tone === 'asks' && styles.asks)} dir="auto">
        {known?.kind === 'diagnostic' ? (
          `${diagnosticWord(known.entry)}, ${diagnosticReason(known.entry)}`
        ) : live === null ? (
          closingWords(row, view, last?.author === 'assistant' ? last.excerpt : '')
        ) : (
          <>
            {live.words}
            <bdi className={styles.code}>{live.code}</bdi>
            {live.end}
          </>
        )}
      </span>
      <span className={clsx(styles.nums, styles.second)}>
        {tokens !== undefined && tokens > 0 && <span>{formatTokens(tokens)}</span>}
        {typeof cost === 'number' && cost !== 0 && <span>{formatCost(cost)}</span>}
      </span>
    </article>
  )
})

/** Why it failed, else what it said last. */
function closingWords(row: DelegateRow, view: SessionView | null, excerpt: string): string {
  const outcome = view?.facts.outcome
  return outcome?.kind === 'failed' ? outcome.message : row.text || excerpt
}

function Elapsed({ view }: { readonly view: SessionView }) {
  const waiting = waitsSince(view)
  const now = useNow(isTicking(view) || waiting !== null)
  const ms = waiting === null ? elapsedMs(view, now) : now - waiting
  return ms === null ? null : formatDuration(ms)
}

/** What this log alone says of the child, while its row is not there yet. */
function loggedMark({ outcome, endedAt }: DelegateRow): MarkKind {
  switch (outcome) {
    case 'completed':
      return 'done'
    case 'limited':
      return 'stopped'
    case null:
      return endedAt === null ? 'queued' : 'done'
    default:
      return outcome
  }
}

function loggedTime({ startedAt, endedAt }: DelegateRow): string {
  return endedAt === null || endedAt < startedAt ? '' : formatDuration(endedAt - startedAt)
}
