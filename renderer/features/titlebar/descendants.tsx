import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { rootOf, selectDetail } from '../../store/selectors.ts'
import { viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { plural } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './titlebar.module.css'

/** How many descendants the open session has, with a mark while one of them is alive. A press shows them. */
export function Descendants({ sessionId }: { readonly sessionId: SessionId }) {
  const app = useApp()
  const detail = useWorkbench(selectDetail(sessionId))
  const listed = useWorkbench(state => countListed(state, sessionId))
  const running = useWorkbench(
    state => rollupOf(state, sessionId)?.running ?? detail?.descendants.running ?? 0,
  )
  const waiting = useWorkbench(
    state => rollupOf(state, sessionId)?.waiting ?? detail?.descendants.waiting ?? 0,
  )
  const total = Math.max(listed, detail?.descendants.total ?? 0)
  if (total === 0) return null
  const alive = running > 0 ? `, ${running} running` : ''
  const name = `${plural(total, 'descendant')}${alive}${waiting > 0 ? `, ${waiting} waiting` : ''}`
  return (
    <button
      type="button"
      className={styles.descendants}
      aria-label={name}
      onClick={() => show(app.store, sessionId)}
    >
      {(running > 0 || waiting > 0) && <StatusMark kind={running > 0 ? 'running' : 'waiting'} size={13} />}
      {plural(total, 'agent')}
      {alive}
    </button>
  )

  function show(store: typeof app.store, id: SessionId): void {
    store.setState({ inspectorShown: true, inspectorTab: 'timeline' })
    const root = rootOf(store.getState(), id)
    store.setState(({ expanded }) => ({ expanded: new Set(expanded).add(root) }))
    if (!store.getState().lists.has(root)) void app.children.load(root)
  }
}

function rollupOf(state: State, id: SessionId) {
  const view = viewOf(state, id)
  return view?.kind === 'session' ? view.rollup : null
}

function countListed(state: State, id: SessionId): number {
  let count = 0
  const pending = [id]
  const met = new Set(pending)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const list = state.lists.get(next)
    if (list?.status !== 'ready') continue
    for (const entry of list.entries) {
      if (met.has(entry.id)) continue
      met.add(entry.id)
      count += 1
      pending.push(entry.id)
    }
  }
  return count
}
