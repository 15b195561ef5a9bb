import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { selectValue } from '../../store/projections.ts'
import { Button } from '../../ui/button.tsx'
import { ApprovalModeMenu } from './approval-mode-menu.tsx'
import type { Problem } from './composer-actions.ts'
import styles from './composer-foot.module.css'
import type { ComposerMode } from './composer-mode.ts'
import { ContextRing } from './context-ring.tsx'
import { ModelMenu } from './model-menu.tsx'
import { useSessionFacts } from './use-session-facts.ts'

interface ComposerFootProps {
  readonly sessionId: SessionId
  readonly mode: ComposerMode
  readonly canChangeSetup: boolean
  /** Why a message cannot be sent now. */
  readonly sendReason: string | null
  readonly onSend: () => void
  readonly onRetry: () => void
  readonly onStop: () => void
  readonly onStopAll: (() => void) | null
  readonly onProblem: (problem: Problem | null) => void
}

/** What the next message runs with, and the buttons. One of them is primary. */
export function ComposerFoot(props: ComposerFootProps) {
  const { sessionId, mode, canChangeSetup, sendReason, onSend, onRetry, onStop, onStopAll, onProblem } = props
  const usage = useWorkbench(selectValue(sessionId, 'usage'))
  const { approvalMode, route } = useSessionFacts(sessionId, mode)
  const empty = sendReason !== null
  return (
    <div className={styles.foot}>
      <span className={styles.spacer} />
      {approvalMode !== null && (
        <ApprovalModeMenu
          sessionId={sessionId}
          mode={approvalMode}
          canChange={canChangeSetup}
          onProblem={onProblem}
        />
      )}
      {route !== null && (
        <ModelMenu sessionId={sessionId} route={route} canChange={canChangeSetup} onProblem={onProblem} />
      )}
      {typeof usage?.context === 'number' && <ContextRing tokens={usage.context} window={null} />}
      {onStopAll !== null && (
        <Button variant="quiet" className={styles.button} onClick={onStopAll}>
          Stop all
        </Button>
      )}
      {mode.canRetry && (
        <Button className={styles.button} icon="retry" disabledReason={mode.blocked} onClick={onRetry}>
          Retry
        </Button>
      )}
      {mode.alive && (
        <Button className={styles.button} icon="stop" onClick={onStop}>
          Stop
        </Button>
      )}
      <Button
        className={styles.button}
        variant={empty ? 'plain' : 'primary'}
        {...(empty ? { icon: 'arrowUp' } : { keys: ['Enter'] })}
        disabledReason={sendReason}
        onClick={onSend}
      >
        {mode.turnOpen ? 'Queue' : 'Send'}
      </Button>
    </div>
  )
}
