import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import type { PendingApproval } from '#shared/contract.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { lineageOf, selectTranscript } from '../../store/selectors.ts'
import type { Transcript } from '../../store/transcripts.ts'
import styles from './conversation.module.css'
import { ConversationState } from './conversation-state.tsx'
import { FindBar } from './find/find-bar.tsx'
import { useFind } from './find/use-find.ts'
import { LoadingAbove } from './loading-above.tsx'
import { placeOf } from './reading-memory.ts'
import type { ApprovalRow, Row } from './row.ts'
import { opensByDefault } from './row-layout.ts'
import { createTranscriptRows } from './rows.ts'
import { type Landing, TranscriptList } from './transcript-list.tsx'
import { useRowContext } from './use-row-context.ts'

interface ConversationProps {
  readonly sessionId: SessionId
  readonly renderApproval: (row: ApprovalRow) => ReactNode
}

/** One session's log, from its tail upwards. Give it the session's id as `key`. */
export function Conversation({ sessionId, renderApproval }: ConversationProps) {
  const transcript = useWorkbench(selectTranscript(sessionId))
  if (transcript === undefined || transcript.status.kind !== 'ready') {
    return <ConversationState sessionId={sessionId} transcript={transcript} />
  }
  return <OpenConversation sessionId={sessionId} transcript={transcript} renderApproval={renderApproval} />
}

function OpenConversation(props: ConversationProps & { readonly transcript: Transcript }) {
  const { sessionId, transcript, renderApproval } = props
  const app = useApp()
  const [place] = useState(() => placeOf(sessionId))
  const [toggled, setToggled] = useState<ReadonlySet<string>>(place?.toggled ?? new Set())
  const [showsInherited, setShowsInherited] = useState(place?.showsInherited ?? false)
  const approvals = useApprovalsOf(sessionId)
  const [foldRows] = useState(createTranscriptRows)
  const { rows, inherited } = foldRows({
    events: transcript.events,
    live: transcript.pieces,
    seedLength: transcript.seedLength,
    atStart: transcript.nextBefore === null,
    damage: transcript.damage,
    approvals,
  })
  const shown = useMemo(
    () => withInheritedFolded(rows, inherited, transcript, showsInherited),
    [rows, inherited, transcript, showsInherited],
  )

  const onToggle = useCallback((key: string) => {
    if (key === INHERITED_KEY) return setShowsInherited(shows => !shows)
    setToggled(keys => {
      const next = new Set(keys)
      if (!next.delete(key)) next.add(key)
      return next
    })
  }, [])
  const context = useRowContext(sessionId, onToggle, renderApproval)
  const isOpen = (row: Row) =>
    row.key === INHERITED_KEY ? showsInherited : toggled.has(row.key) !== opensByDefault(row)

  const needsMore = showsInherited || transcript.firstSeq > transcript.seedLength
  const wanted = needsMore && transcript.nextBefore !== null && transcript.above.kind === 'idle'
  const onNearTop = useCallback(() => {
    if (wanted) void app.transcripts.loadAbove(sessionId)
  }, [app, sessionId, wanted])

  const find = useFind(sessionId)
  const landing = useLanding(sessionId, transcript, find.open ? find.progress.seqs[find.at] : undefined)
  const inPrefix = landing !== null && landing.seq < transcript.seedLength
  if (inPrefix && !showsInherited) setShowsInherited(true)

  const delegates = rows.some(row => row.kind === 'delegate')
  const listed = useWorkbench(state => state.lists.has(sessionId))
  useEffect(() => {
    if (delegates && !listed) void app.children.load(sessionId)
  }, [app, sessionId, delegates, listed])

  if (shown.length === 0) return <ConversationState sessionId={sessionId} transcript={transcript} />
  return (
    <>
      {find.open && (
        <div className={styles.find}>
          <FindBar find={find} />
        </div>
      )}
      <TranscriptList
        sessionId={sessionId}
        rows={shown}
        isOpen={isOpen}
        context={context}
        place={place}
        kept={{ toggled, showsInherited }}
        onNearTop={onNearTop}
        landing={landing}
        found={find.open ? find.text : null}
        above={
          transcript.above.kind === 'idle' ? null : (
            <LoadingAbove sessionId={sessionId} above={transcript.above} />
          )
        }
      />
    </>
  )
}

/** An event to go to, once the window holds it; pages above are read until it does. */
function useLanding(sessionId: SessionId, transcript: Transcript, seq: number | undefined): Landing | null {
  const app = useApp()
  const { firstSeq, nextBefore, above } = transcript
  const missing = seq !== undefined && seq < firstSeq && nextBefore !== null && above.kind === 'idle'
  useEffect(() => {
    if (missing) void app.transcripts.loadAbove(sessionId)
  })
  const here = seq !== undefined && seq >= firstSeq
  return useMemo(() => (here && seq !== undefined ? { seq } : null), [here, seq])
}

/** Questions of this session and of everything under it. */
function useApprovalsOf(sessionId: SessionId): readonly PendingApproval[] {
  const approvals = useWorkbench(state => state.approvals)
  const parents = useWorkbench(state => state.parents)
  const { store } = useApp()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lineage is read from `parents`
  return useMemo(() => {
    const state = store.getState()
    return approvals.filter(
      open => open.rootId === sessionId || lineageOf(state, open.sessionId).includes(sessionId),
    )
  }, [approvals, parents, store, sessionId])
}

const INHERITED_KEY = 'inherited'

/** A fork starts with one line for what it inherited, once the window reaches that far. */
function withInheritedFolded(
  rows: readonly Row[],
  inherited: number,
  { seedLength, firstSeq }: Transcript,
  shows: boolean,
): readonly Row[] {
  if (seedLength === 0 || firstSeq > seedLength) return rows
  const head: Row = {
    kind: 'inherited',
    key: INHERITED_KEY,
    seq: 0,
    time: 0,
    height: 22,
    count: seedLength,
    from: null,
  }
  return [head, ...(shows ? rows : rows.slice(inherited))]
}
