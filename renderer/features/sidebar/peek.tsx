import { type RefObject, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { labelOf, secondLine, warningWords } from '../../store/row-words.ts'
import { activeChildrenOf } from '../../store/selectors.ts'
import { type AnyView, elapsedMs, isTicking, type SessionView, selectView } from '../../store/session-view.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatClock, formatCost, formatDuration, formatTokens } from '../../ui/format.ts'
import { Keys } from '../../ui/kbd.tsx'
import { ModeMark } from '../../ui/mode-mark.tsx'
import { rollupText } from '../../ui/rollup-mark.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './peek.module.css'
import { rowElement } from './use-roving.ts'

interface PeekProps {
  readonly id: SessionId
  readonly rowKey: string
  readonly scroller: RefObject<HTMLElement | null>
}

/** What a row has no room for, beside it. Space opens and closes it; the focus stays on the row. */
export function Peek({ id, rowKey, scroller }: PeekProps) {
  const view = useWorkbench(selectView(id))
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null)
  useLayoutEffect(() => {
    const row = rowElement(scroller.current, rowKey)?.getBoundingClientRect()
    if (row !== undefined)
      setPlace({ left: row.right + 10, top: Math.min(row.top, window.innerHeight - 220) })
  }, [rowKey, scroller])
  if (view === null || place === null) return null
  // Outside the sidebar: its containment would clip what lies beside it.
  return createPortal(
    <div role="status" aria-label={`About ${labelOf(view)}`} className={styles.peek} style={place}>
      <div className={styles.head}>
        <StatusMark kind={view.kind === 'diagnostic' ? 'unreadable' : view.status.mark} />
        <b>{labelOf(view)}</b>
        {view.kind === 'session' && view.mode !== 'session' && (
          <ModeMark mode={view.mode} className={styles.mode} />
        )}
        <span className={styles.spacer} />
        <Keys keys={['Space']} />
      </div>
      <PeekFacts view={view} />
    </div>,
    document.body,
  )
}

function PeekFacts({ view }: { readonly view: AnyView }) {
  const activeChildren = useWorkbench(state => activeChildrenOf(state, view.id))
  const line = secondLine(view, activeChildren)
  if (view.kind === 'diagnostic') {
    return (
      <Facts className={styles.facts}>
        <Fact name="Why">{line?.end.replace(/^ · /, '')}</Fact>
        <Fact name="Record">{view.id}</Fact>
      </Facts>
    )
  }
  return <SessionFacts view={view} now={line === null ? '' : `${line.words}${line.code}${line.end}`} />
}

function SessionFacts({ view, now: doing }: { readonly view: SessionView; readonly now: string }) {
  const now = useNow(isTicking(view))
  const elapsed = elapsedMs(view, now)
  const { timing, tokens, costUsd, model } = view.facts
  const since = timing?.runningSince ?? null
  const failed = view.facts.outcome?.kind === 'failed' ? view.facts.outcome.message : null
  return (
    <Facts className={styles.facts}>
      <Fact name="Status">{capital(view.status.word)}</Fact>
      {failed !== null && <Fact name="Why">{failed}</Fact>}
      {doing !== '' && <Fact name="Now">{doing}</Fact>}
      {elapsed !== null && (
        <Fact name="Elapsed">
          {formatDuration(elapsed)}
          {since !== null && ` since ${formatClock(since)}`}
        </Fact>
      )}
      {tokens !== undefined && <Fact name="Tokens">{formatTokens(tokens)} own</Fact>}
      {typeof costUsd === 'number' && <Fact name="Cost">{formatCost(costUsd)} own</Fact>}
      {typeof model === 'string' && <Fact name="Model">{model}</Fact>}
      {rollupText(view.rollup) !== '' && <Fact name="Below">{rollupText(view.rollup)}</Fact>}
      {view.warnings.length > 0 && <Fact name="Warning">{capital(warningWords(view.warnings))}</Fact>}
    </Facts>
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
