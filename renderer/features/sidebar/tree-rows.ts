import type { SessionId } from '#shared/session/ids.ts'
import type { State } from '../../store/state.ts'
import type { Shown } from './filter.ts'
import type { Place, Row } from './row.ts'
import type { Traits } from './traits.ts'

/** What is known of the sessions that trees are made of. */
export interface Forest {
  readonly lists: State['lists']
  readonly isExpanded: (id: SessionId) => boolean
  readonly traitsOf: (id: SessionId) => Traits | null
}

interface TreeOptions {
  readonly isShown: Shown | null
  /** A row of which nothing below is shown can be opened all the same. */
  readonly opensAnyRow: boolean
  readonly setSize: number
  readonly offset: number
  /** One line each, whatever they have to say. */
  readonly folded: boolean
}

interface Pending extends Place {
  readonly id: SessionId
  readonly parentKey: string | null
}

/** Roots and what is open below them. Depth first without recursion: chains may be longer than a stack. A cycle in damaged records is cut. */
export function addTrees(
  forest: Forest,
  roots: readonly SessionId[],
  options: TreeOptions,
  rows: Row[],
): void {
  const { isShown, opensAnyRow, setSize, offset, folded } = options
  const met = new Set<SessionId>()
  const stack: (Pending | Row)[] = roots
    .map((id, index) => ({ id, parentKey: null, depth: 0, position: offset + index + 1, setSize }))
    .reverse()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('kind' in next) {
      rows.push(next)
      continue
    }
    const { id, parentKey, depth, position } = next
    const traits = forest.traitsOf(id)
    if (traits === null || met.has(id)) continue
    met.add(id)
    const list = forest.lists.get(id)
    const found =
      isShown === null || list?.status !== 'ready' ? null : list.entries.filter(entry => isShown(entry.id))
    const below = found?.length === 0 && opensAnyRow ? null : found
    const expanded = expandedOf(forest, id, traits, below)
    const two = traits.two && !folded
    const { kind } = traits
    rows.push({
      kind,
      key: id,
      id,
      parentKey,
      depth,
      position,
      setSize: next.setSize,
      expanded,
      two,
      asking: null,
    })
    if (expanded !== true) continue
    if (list?.status !== 'ready') {
      const state = list?.status === 'failed' ? 'failed' : 'loading'
      rows.push({ kind: state, key: `${state}:${id}`, parentId: id, depth: depth + 1 })
      continue
    }
    if (list.failure !== null)
      stack.push({ kind: 'failed', key: `failed:${id}`, parentId: id, depth: depth + 1 })
    const shown = below ?? list.entries
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
  }
}

/** `null`: there is nothing to open. `below`: what a search leaves of its children. */
export function expandedOf(
  forest: Forest,
  id: SessionId,
  traits: Traits,
  below: readonly unknown[] | null,
): boolean | null {
  if (below !== null) return below.length > 0 ? true : null
  return hasBelow(forest, id, traits) ? forest.isExpanded(id) : null
}

function hasBelow({ lists }: Forest, id: SessionId, { hasChildren }: Traits): boolean {
  const list = lists.get(id)
  if (list?.status === 'ready' && list.failure === null) return list.entries.length > 0
  return hasChildren
}
