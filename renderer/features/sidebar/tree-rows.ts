import type { SessionId } from '#shared/session/ids.ts'
import { secondLine } from '../../store/row-words.ts'
import { activeChildrenOf } from '../../store/selectors.ts'
import { type AnyView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import type { Place, Row } from './row.ts'

/** What a search or a filter leaves. */
export type Shown = (id: SessionId) => boolean

interface TreeOptions {
  readonly isShown: Shown | null
  readonly setSize: number
  readonly offset: number
  readonly folded: boolean
}

interface Pending extends Place {
  readonly id: SessionId
  readonly parentKey: string | null
}

/** Roots and what is open below them. Depth first without recursion: chains may be longer than a stack. A cycle in damaged records is cut. */
export function addTrees(state: State, roots: readonly SessionId[], options: TreeOptions, rows: Row[]): void {
  const { isShown, setSize, offset, folded } = options
  const met = new Set<SessionId>()
  const stack: (Pending | Row)[] = roots
    .map((id, index) => ({ id, parentKey: null, depth: 0, position: offset + index + 1, setSize }))
    .reverse()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('kind' in next) {
      rows.push(next)
      continue
    }
    const { id, depth } = next
    const view = viewOf(state, id)
    if (view === null || met.has(id)) continue
    met.add(id)
    const list = state.lists.get(id)
    const below =
      isShown === null || list?.status !== 'ready' ? null : list.entries.filter(entry => isShown(entry.id))
    const expanded = expandedOf(state, view, below)
    const two = !folded && secondLine(view, activeChildrenOf(state, id)) !== null
    rows.push({ ...next, kind: view.kind, key: id, expanded, two, asking: null })
    if (expanded !== true) continue
    if (list?.status === 'ready') {
      const shown = below ?? list.entries
      if (list.failure !== null)
        stack.push({ kind: 'failed', key: `failed:${id}`, parentId: id, depth: depth + 1 })
      for (let index = shown.length - 1; index >= 0; index -= 1) {
        const entry = shown[index]
        if (entry === undefined) continue
        stack.push({
          id: entry.id,
          parentKey: id,
          depth: depth + 1,
          position: index + 1,
          setSize: shown.length,
        })
      }
    } else {
      const kind = list?.status === 'failed' ? 'failed' : 'loading'
      rows.push({ kind, key: `${kind}:${id}`, parentId: id, depth: depth + 1 })
    }
  }
}

function expandedOf(state: State, view: AnyView, below: readonly unknown[] | null): boolean | null {
  if (below !== null) return below.length > 0 ? true : hasBelow(state, view) ? false : null
  return hasBelow(state, view) ? state.expanded.has(view.id) : null
}

function hasBelow(state: State, view: AnyView): boolean {
  const list = state.lists.get(view.id)
  if (list?.status === 'ready' && list.failure === null) return list.entries.length > 0
  return view.kind === 'session' && view.hasChildren
}
