import { clsx } from 'clsx'
import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { selectValue } from '../../store/projections.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './inspector.module.css'

const MARKS = { pending: 'queued', in_progress: 'running', completed: 'done' } as const
const WORDS = { pending: 'to do', in_progress: 'in progress', completed: 'done' } as const

export function TasksTab({ sessionId }: { readonly sessionId: SessionId }) {
  const todos = useWorkbench(selectValue(sessionId, 'todos')) ?? []
  if (todos.length === 0) {
    return (
      <EmptyState icon="checklist" title="No tasks">
        When the agent writes a task list, it stands here and is ticked as it goes.
      </EmptyState>
    )
  }
  const done = todos.filter(({ status }) => status === 'completed').length
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <h3>
          {done} of {todos.length} done
        </h3>
      </div>
      <ul className={styles.list}>
        {todos.map(({ content, status }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a task has no id and its place is what it is
            key={index}
            className={clsx(status === 'completed' && styles.done)}
            aria-label={`${content}, ${WORDS[status]}`}
          >
            <StatusMark kind={MARKS[status]} />
            <span>{content}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
