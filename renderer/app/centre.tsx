import type { SessionId } from '#shared/session/ids.ts'
import { Approval } from '../features/approvals/approval.tsx'
import { Composer } from '../features/composer/composer.tsx'
import { Conversation } from '../features/conversation/conversation.tsx'
import type { ApprovalRow } from '../features/conversation/row.ts'
import { FirstRun } from '../features/first-run/first-run.tsx'
import { DamagedPage } from '../features/inspector/damaged-page.tsx'
import { SampleTree } from '../features/sidebar/sample-tree.tsx'
import { CentreBar } from '../features/titlebar/centre-bar.tsx'
import { useWorkbench } from '../store/app-context.tsx'
import { labelOf } from '../store/row-words.ts'
import { viewOf } from '../store/session-view.ts'
import styles from './centre.module.css'
import { GoneNotice } from './gone-notice.tsx'

interface CentreProps {
  readonly open: SessionId | null
  /** Another one is about to take its place. */
  readonly holds: boolean
  readonly showsSidebarButton: boolean
  readonly showsInspectorButton: boolean
  /** The window's own buttons stand at the right end of the title bar. */
  readonly isRightmost: boolean
}

export function Centre({ open, holds, ...bar }: CentreProps) {
  const title = useWorkbench(state => titleOf(state, open))
  return (
    <main className={styles.centre} inert={holds}>
      <h1 className={styles.heading}>{title}</h1>
      <CentreBar sessionId={open} {...bar} />
      {open === null ? <FirstRun renderSample={renderSample} /> : <Session key={open} sessionId={open} />}
    </main>
  )
}

function Session({ sessionId }: { readonly sessionId: SessionId }) {
  const isDamaged = useWorkbench(
    state => viewOf(state, sessionId)?.kind === 'diagnostic' || isUnlisted(state, sessionId),
  )
  const readAnyway = useWorkbench(state => state.readAnyway === sessionId)
  const isGone = useWorkbench(state => isMissing(state, sessionId))
  if (isGone) return <GoneNotice sessionId={sessionId} />
  if (isDamaged && !readAnyway) return <DamagedPage sessionId={sessionId} />
  return (
    <>
      <Conversation sessionId={sessionId} renderApproval={renderApproval} />
      <Composer sessionId={sessionId} />
    </>
  )
}

/** Features never import each other: the window puts the question into the conversation. */
const renderApproval = (row: ApprovalRow) => (
  <Approval pending={row.pending} position={row.position} total={row.total} />
)

const renderSample = (rootId: SessionId) => <SampleTree rootId={rootId} />

/** Said to readers; for the eye it is the last crumb. */
function titleOf(state: State, open: SessionId | null): string {
  const view = open === null ? null : viewOf(state, open)
  return view === null ? 'Espalier' : labelOf(view)
}

type State = Parameters<typeof viewOf>[0]

/** A root whose header cannot be read has no detail either: only its report can be shown. */
function isUnlisted(state: State, id: SessionId): boolean {
  return state.unreadable.some(record => record.id === id)
}

function isMissing(state: State, id: SessionId): boolean {
  const detail = state.details.get(id)
  if (detail?.status !== 'failed') return false
  const { code } = detail.failure
  return (code === 'SESSION_NOT_FOUND' || code === 'SUBAGENT_NOT_FOUND') && viewOf(state, id) === null
}
