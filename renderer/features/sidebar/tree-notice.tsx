import { errorText } from '../../app/error-text.ts'
import { newSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import styles from './tree-notice.module.css'
import { useRows } from './use-rows.ts'

/** What stands in the sidebar when no row does: nothing yet, nothing found, or a list that could not be read. */
export function TreeNotice({ onClearSearch }: { readonly onClearSearch: () => void }) {
  const app = useApp()
  const empty = useRows().length === 0
  const roots = useWorkbench(state => state.roots)
  const query = useWorkbench(state => state.query.trim())
  const filter = useWorkbench(state => state.filter)
  if (roots.status === 'failed') {
    const { what, todo } = errorText(roots.failure.code)
    return (
      <div className={styles.notice} role="alert">
        <EmptyState
          icon="warning"
          title="Sessions could not be listed"
          action={
            <Button size="small" icon="retry" onClick={() => void app.sessions.refreshRoots()}>
              Retry
            </Button>
          }
        >
          {what} {todo}
        </EmptyState>
      </div>
    )
  }
  if (!empty || roots.status === 'loading') return null
  if (query !== '' || filter !== 'all') {
    return (
      <div className={styles.notice}>
        <EmptyState
          icon="search"
          title={query === '' ? 'No session matches the filter' : `No match for “${query}”`}
          action={
            <Button size="small" onClick={onClearSearch}>
              Show all sessions
            </Button>
          }
        >
          Titles of sessions and of children opened so far were searched.
        </EmptyState>
      </div>
    )
  }
  return (
    <div className={styles.notice}>
      <EmptyState
        icon="bubbles"
        title="Nothing runs yet"
        action={
          <Button size="small" onClick={() => void newSession(app)}>
            New session
          </Button>
        }
      >
        Write what you want done. Children appear here as rows when the agent delegates.
      </EmptyState>
    </div>
  )
}
