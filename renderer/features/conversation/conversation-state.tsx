import type { SessionId } from '#shared/session/ids.ts'
import { useApp } from '../../store/app-context.tsx'
import type { Transcript } from '../../store/transcripts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import styles from './conversation-state.module.css'

interface ConversationStateProps {
  readonly sessionId: SessionId
  readonly transcript: Transcript | undefined
}

/** A conversation without rows: still being read, not readable, or empty. Loading is never shown as empty. */
export function ConversationState({ sessionId, transcript }: ConversationStateProps) {
  const app = useApp()
  const status = transcript?.status ?? { kind: 'loading' }
  return (
    <div className={styles.log} role="log" aria-label="Conversation" aria-busy={status.kind === 'loading'}>
      <div className={styles.column}>
        {status.kind === 'failed' && (
          <EmptyState
            icon="warning"
            title="This conversation could not be read"
            action={
              <Button icon="retry" onClick={() => app.transcripts.reload(sessionId)}>
                Read it again
              </Button>
            }
          >
            {status.failure.detail} Nothing was changed.
          </EmptyState>
        )}
        {status.kind === 'ready' && (
          <EmptyState icon="bubbles" title="Nothing was said yet">
            Write what you want done. Children appear here as cards when the agent delegates.
          </EmptyState>
        )}
      </div>
    </div>
  )
}
