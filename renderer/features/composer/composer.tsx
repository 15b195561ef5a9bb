import { useEffect, useRef, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { forkSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { selectValue } from '../../store/projections.ts'
import { selectDetailState } from '../../store/selectors.ts'
import { type SessionView, viewOf } from '../../store/session-view.ts'
import type { DetailState } from '../../store/state.ts'
import styles from './composer.module.css'
import { type Problem, retryTurn, sendWhenRead, stopAll, stopTurn, unqueue } from './composer-actions.ts'
import { ComposerBox } from './composer-box.tsx'
import { ComposerFoot } from './composer-foot.tsx'
import { composerMode } from './composer-mode.ts'
import { drafts } from './drafts.ts'
import { QueueChips } from './queue-chips.tsx'
import { ReadOnlyNotice } from './read-only-notice.tsx'
import { RestoreStrip } from './restore-strip.tsx'

/** Where a person speaks to a session. Give it the session's id as `key`. */
export function Composer({ sessionId }: { readonly sessionId: SessionId }) {
  const app = useApp()
  const detail = useWorkbench(selectDetailState(sessionId))
  const found = useWorkbench(state => viewOf(state, sessionId))
  const inbox = useWorkbench(selectValue(sessionId, 'inbox'))
  const focus = useWorkbench(state => state.composerFocus)
  const home = useWorkbench(state => state.host?.homeFolder ?? null)
  const isChild = useWorkbench(state => state.parents.has(sessionId) || state.entries.has(sessionId))
  const [draft, setDraft] = useState(() => drafts.get(sessionId))
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const view = found?.kind === 'session' ? found : null
  const mode = composerMode(detail, view)
  const to = { sessionId, isChild: isOfSubagent(detail, isChild) }
  useFreshAccess(sessionId, view)

  const write = (text: string) => {
    setDraft(text)
    drafts.set(sessionId, text)
    setProblem(null)
  }
  const send = async (how: 'queue' | 'steer') => {
    const text = draft.trim()
    if (text === '' || sending) return
    setSending(true)
    const failed = await sendWhenRead(app, to, text, how)
    setSending(false)
    setProblem(failed)
    if (failed !== null) return
    // What was typed while the message was on its way is the next draft.
    setDraft(now => {
      const rest = now.startsWith(draft) ? now.slice(draft.length) : now
      drafts.set(sessionId, rest)
      return rest
    })
  }
  const takeBack = async (messageId: string, text: string | null) => {
    const failed = await unqueue(app, to, messageId)
    setProblem(failed)
    if (failed === null && text !== null) write(draft.trim() === '' ? text : `${text}\n\n${draft}`)
  }

  if (mode.readOnly !== null) {
    return (
      <div className={styles.dock}>
        <ReadOnlyNotice access={mode.readOnly} onFork={() => forkSession(app, sessionId)} />
      </div>
    )
  }
  return (
    <div className={styles.dock}>
      <QueueChips messages={(inbox ?? []).filter(isSaid)} onTakeBack={takeBack} />
      <ComposerBox
        draft={draft}
        placeholder={mode.placeholder}
        focus={focus}
        onChange={write}
        onSend={() => send('queue')}
        onSteer={() => send(mode.turnOpen ? 'steer' : 'queue')}
        strip={
          mode.restores === null ? null : (
            <RestoreStrip access={mode.restores} home={home} preset={presetOf(detail)} />
          )
        }
        problem={problem}
        foot={
          <ComposerFoot
            sessionId={sessionId}
            mode={mode}
            canChangeSetup={!to.isChild}
            sendReason={mode.blocked ?? (draft.trim() === '' ? 'Write a message first' : null)}
            onSend={() => send('queue')}
            onRetry={async () => setProblem(await retryTurn(app, to))}
            onStop={async () =>
              setProblem(mode.turnOpen ? await stopTurn(app, to) : await stopAll(app, sessionId))
            }
            onStopAll={
              mode.turnOpen && hasBusyBelow(view)
                ? async () => setProblem(await stopAll(app, sessionId))
                : null
            }
            onProblem={setProblem}
          />
        }
      />
    </div>
  )
}

/** What children tell stands on their cards: only what someone wrote waits in the queue's list. */
function isSaid({ source }: { readonly source: { readonly kind: string } }): boolean {
  return source.kind === 'person' || source.kind === 'parent'
}

function presetOf(detail: DetailState | undefined): string | null {
  return detail?.status === 'ready' ? (detail.detail.header.preset ?? null) : null
}

function hasBusyBelow(view: SessionView | null): boolean {
  return view !== null && view.rollup.running + view.rollup.waiting > 0
}

function isOfSubagent(detail: DetailState | undefined, listed: boolean): boolean {
  return detail?.status === 'ready' ? detail.detail.header.origin === 'subagent' : listed
}

/** What may be done with a session changes when it starts and when it ends: then it is asked again. */
function useFreshAccess(sessionId: SessionId, view: SessionView | null): void {
  const app = useApp()
  const activity = view?.activity
  const state = view?.status.state
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: either of them changing is the reason to ask
  useEffect(() => {
    // Whoever opened it has asked already.
    if (isFirst.current) isFirst.current = false
    else void app.sessions.loadDetail(sessionId)
  }, [app, sessionId, activity, state])
}
