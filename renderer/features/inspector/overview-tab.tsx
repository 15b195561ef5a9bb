import { clsx } from 'clsx'
import { IMPORTED_PRESET } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { openSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { capitalised, labelOf, secondLine, warningWords } from '../../store/row-words.ts'
import { activeChildrenOf, selectDetail } from '../../store/selectors.ts'
import { elapsedMs, isTicking, type SessionView, selectView, viewOf } from '../../store/session-view.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import {
  formatCost,
  formatDuration,
  formatExact,
  formatTime,
  formatTokens,
  plural,
  shortPath,
} from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { DiagnosticsTab } from './diagnostics-tab.tsx'
import styles from './inspector.module.css'
import { totalsOf } from './tree-totals.ts'
import { useDescendants } from './use-descendants.ts'

export function OverviewTab({ sessionId }: { readonly sessionId: SessionId }) {
  const view = useWorkbench(selectView(sessionId))
  if (view === null) return <p className={styles.note}>Reading…</p>
  if (view.kind === 'diagnostic') return <DiagnosticsTab sessionId={sessionId} />
  return <Overview view={view} />
}

function Overview({ view }: { readonly view: SessionView }) {
  const detail = useWorkbench(selectDetail(view.id))
  const home = useWorkbench(state => state.host?.homeFolder ?? null)
  const activeChildren = useWorkbench(state => activeChildrenOf(state, view.id))
  const now = useNow(isTicking(view) || isAlive(view.status.state))
  const below = useDescendants(view.id)
  const totals = below.status === 'ready' ? totalsOf(below.value) : null
  const { facts, status } = view
  const elapsed = elapsedMs(view, now)
  const createdAt = detail?.header.createdAt ?? null
  const line = secondLine(view, activeChildren)
  const waits = facts.outcome?.kind === 'waiting' && facts.outcome.on === 'children'
  const doing = line === null || waits ? '' : `${line.words}${line.code}${line.end}`
  const cwd = detail?.header.cwd ?? view.cwd
  const imported = detail?.header.preset === IMPORTED_PRESET
  return (
    <>
      <section className={styles.section}>
        <div className={styles.sectionHead}>
          <StatusMark kind={status.mark} />
          <h3 dir="auto">{view.label}</h3>
        </div>
        <Facts>
          <Fact name="Outcome">{outcomeText(view, activeChildren)}</Fact>
          {facts.outcome?.kind === 'failed' && (
            <Fact name="Why">
              <span className={styles.wrap}>{facts.outcome.message}</span>
            </Fact>
          )}
          {doing !== '' && <Fact name="Now">{doing}</Fact>}
          {createdAt !== null && (
            <Fact name="Started" title={formatExact(createdAt)}>
              {formatTime(createdAt, now)}
              {isAlive(status.state) && (
                <span className={styles.faint}>{formatDuration(now - createdAt)} ago</span>
              )}
            </Fact>
          )}
          {elapsed !== null && <Fact name="In turns">{formatDuration(elapsed)}</Fact>}
          <Fact name="Model">{facts.model ?? <span className={styles.faint}>None yet</span>}</Fact>
          <Fact name="Usage">
            {facts.tokens === undefined ? (
              <span className={styles.faint}>Not known</span>
            ) : (
              `${formatTokens(facts.tokens)} own`
            )}
            {totals !== null && totals.children > 0 && totals.tokens > 0 && (
              <span className={styles.faint}>
                {formatTokens((facts.tokens ?? 0) + totals.tokens)} with descendants
              </span>
            )}
          </Fact>
          <Fact name="Cost">
            {typeof facts.costUsd === 'number' ? (
              `${formatCost(facts.costUsd)} own`
            ) : (
              <span className={styles.faint}>Price not known</span>
            )}
            {typeof facts.costUsd === 'number' &&
              totals !== null &&
              totals.children > 0 &&
              totals.costUsd !== null && (
                <span className={styles.faint}>
                  {formatCost(facts.costUsd + totals.costUsd)} with descendants
                </span>
              )}
          </Fact>
          <Fact name="Preset">
            {(imported ? null : (facts.preset ?? detail?.header.preset)) ?? (
              <span className={styles.faint}>None</span>
            )}
          </Fact>
          <Fact name="Descriptor">{descriptorText(view)}</Fact>
          {cwd !== null && (
            <Fact name="Folder" title={cwd}>
              {shortPath(cwd, home)}
            </Fact>
          )}
          <Fact name="Parent">
            <ParentLink id={view.id} />
          </Fact>
          <Fact name="Record" title={view.id}>
            <span className={clsx(styles.mono, styles.wrap)}>{view.id}</span>
          </Fact>
          {imported && <Fact name="Origin">Imported from another tool</Fact>}
          {view.warnings.length > 0 && <Fact name="Warning">{capitalised(warningWords(view.warnings))}</Fact>}
        </Facts>
      </section>
      {totals !== null && totals.children > 0 && (
        <section className={styles.section}>
          <div className={styles.sectionHead}>
            <h3>Below</h3>
          </div>
          <Facts>
            <Fact name="Agents">{plural(totals.children, 'descendant')}</Fact>
            {view.rollup.running > 0 && <Fact name="Running">{view.rollup.running}</Fact>}
            {view.rollup.waiting > 0 && <Fact name="Waiting">{view.rollup.waiting}</Fact>}
          </Facts>
        </section>
      )}
    </>
  )
}

function isAlive(state: SessionView['status']['state']): boolean {
  return state === 'running' || state === 'waiting' || state === 'queued'
}

function outcomeText({ status, facts }: SessionView, activeChildren: number): string {
  const word = status.word.charAt(0).toUpperCase() + status.word.slice(1)
  if (facts.outcome?.kind === 'waiting' && facts.outcome.on === 'children') {
    return `${word}, waits for ${activeChildren > 0 ? plural(activeChildren, 'child', 'children') : 'its children'}`
  }
  if (facts.outcome?.kind === 'cancelled') return `${word} by ${STOPPED_BY[facts.outcome.by]}`
  return word
}

const STOPPED_BY = { user: 'you', parent: 'its parent', disposed: 'its end' } as const

function descriptorText({ mode, isUnnamed }: SessionView): string {
  if (mode === 'session') return 'None, this is a root session'
  if (mode === 'continuable') return 'Continuable, takes messages'
  return isUnnamed ? 'One-shot, without a label' : 'One-shot, answers once'
}

function ParentLink({ id }: { readonly id: SessionId }) {
  const app = useApp()
  const parent = useWorkbench(state => state.parents.get(id))
  const label = useWorkbench(state => {
    const view = parent === undefined ? null : viewOf(state, parent)
    return view === null ? parent : labelOf(view)
  })
  if (parent === undefined) return <span className={styles.faint}>None</span>
  return (
    <button type="button" className={styles.link} onClick={() => openSession(app, parent)}>
      {label}
    </button>
  )
}
