import type { SessionId } from '#shared/session/ids.ts'
import { useApp } from '../store/app-context.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import styles from './centre.module.css'
import { errorText } from './error-text.ts'

export function GoneNotice({ sessionId }: { readonly sessionId: SessionId }) {
  const app = useApp()
  const { todo } = errorText('SESSION_NOT_FOUND')
  return (
    <div className={styles.gone} role="status">
      <EmptyState
        icon="unknown"
        title="Session not found"
        action={
          <Button size="small" icon="retry" onClick={() => void app.sessions.loadDetail(sessionId)}>
            Look again
          </Button>
        }
      >
        {todo}
      </EmptyState>
    </div>
  )
}
