import { useShallow } from 'zustand/react/shallow'
import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { selectValue } from '../../store/projections.ts'
import { labelOf } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './inspector.module.css'

/** Files that this session changed, then those of its children that are alive or were opened. */
export function ChangesTab({ sessionId }: { readonly sessionId: SessionId }) {
  const own = useWorkbench(selectValue(sessionId, 'files'))
  const children = useWorkbench(useShallow(state => changedChildren(state, sessionId)))
  if ((own?.length ?? 0) === 0 && children.length === 0) {
    return (
      <EmptyState icon="pencil" title="No files changed">
        Edits by this session and by its children will be listed by file.
      </EmptyState>
    )
  }
  return (
    <>
      {own !== undefined && own !== null && own.length > 0 && <Files title="By this session" files={own} />}
      {children.map(id => (
        <ChildFiles key={id} id={id} />
      ))}
    </>
  )
}

function ChildFiles({ id }: { readonly id: SessionId }) {
  const files = useWorkbench(selectValue(id, 'files')) ?? []
  const label = useWorkbench(state => {
    const view = viewOf(state, id)
    return view === null ? id : labelOf(view)
  })
  return <Files title={label} files={files} />
}

function Files({ title, files }: { readonly title: string; readonly files: readonly string[] }) {
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <h3>{title}</h3>
        <span className={styles.faint}>{files.length}</span>
      </div>
      <ul className={styles.list}>
        {files.map(file => (
          <li key={file}>
            <Icon name="file" size={14} />
            <span className={styles.path} title={file}>
              {file}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function changedChildren(state: State, id: SessionId): SessionId[] {
  const found: SessionId[] = []
  for (const [child, live] of state.live) {
    const files = live.cells.get('files')?.value
    if (child === id || !Array.isArray(files) || files.length === 0) continue
    if (isBelow(state, child, id)) found.push(child)
  }
  return found
}

function isBelow(state: State, child: SessionId, ancestor: SessionId): boolean {
  const met = new Set<SessionId>()
  for (let at = state.parents.get(child); at !== undefined && !met.has(at); at = state.parents.get(at)) {
    if (at === ancestor) return true
    met.add(at)
  }
  return false
}
