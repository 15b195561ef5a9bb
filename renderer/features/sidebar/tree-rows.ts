import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { State } from '../../store/state.ts'
import type { Shown } from './filter.ts'
import type { Place, Row } from './row.ts'
import type { Traits } from './traits.ts'

/** What is known of the sessions that trees are made of. */
export interface Forest {
  readonly lists: State['lists']
  readonly isExpanded: (id: SessionId) => boolean
  readonly traitsOf: (id: SessionId) => Traits | null
  /** What is below each open root, as long as it is what it was: filled here, emptied by whoever sees it change. */
  readonly blocks: Map<SessionId, readonly Row[]>
  /** The row object of before where nothing about it changed. */
  readonly keep: (row: Row) => Row
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

/** Roots and what is open below them. */
export function addTrees(
  forest: Forest,
  roots: readonly SessionId[],
  options: TreeOptions,
  rows: Row[],
): void {
  const { setSize, offset } = options
  for (const [index, id] of roots.entries()) {
    const root = { id, parentKey: null, depth: 0, position: offset + index + 1, setSize }
    const traits = forest.traitsOf(id)
    if (traits === null) continue
    const shown = shownBelow(forest, id, options)
    const expanded = expandedOf(forest, id, traits, shown)
    rows.push(forest.keep(rowOf(root, traits, expanded, options)))
    if (expanded !== true) continue
    const below = forest.blocks.get(id) ?? rowsBelow(forest, root, options)
    forest.blocks.set(id, below)
    for (const row of below) rows.push(row)
  }
}

/** Depth first without recursion: chains may be longer than a stack. A cycle in damaged records is cut. */
function rowsBelow(forest: Forest, root: Pending, options: TreeOptions): readonly Row[] {
  const rows: Row[] = []
  const met = new Set<SessionId>()
  const stack: (Pending | Row)[] = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('kind' in next) {
      rows.push(forest.keep(next))
      continue
    }
    const { id, depth } = next
    const traits = forest.traitsOf(id)
    if (traits === null || met.has(id)) continue
    met.add(id)
    const shown = shownBelow(forest, id, options)
    const expanded = expandedOf(forest, id, traits, shown)
    if (next !== root) rows.push(forest.keep(rowOf(next, traits, expanded, options)))
    if (expanded !== true) continue
    const list = forest.lists.get(id)
    if (list?.status !== 'ready') {
      const state = list?.status === 'failed' ? 'failed' : 'loading'
      rows.push(forest.keep({ kind: state, key: `${state}:${id}`, parentId: id, depth: depth + 1 }))
      continue
    }
    if (list.failure !== null)
      stack.push({ kind: 'failed', key: `failed:${id}`, parentId: id, depth: depth + 1 })
    const children = shown ?? list.entries
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index]
      if (child === undefined) continue
      const setSize = children.length
      stack.push({ id: child.id, parentKey: id, depth: depth + 1, position: index + 1, setSize })
    }
  }
  return rows
}

function rowOf(
  { id, parentKey, depth, position, setSize }: Pending,
  { kind, two }: Traits,
  expanded: boolean | null,
  { folded }: TreeOptions,
): Row {
  const isTwo = two && !folded
  return { kind, key: id, id, parentKey, depth, position, setSize, expanded, two: isTwo, asking: null }
}

/** What a search leaves of the children of a session; `null`: nothing is left out. */
function shownBelow(
  { lists }: Forest,
  id: SessionId,
  { isShown, opensAnyRow }: TreeOptions,
): readonly SubagentListEntry[] | null {
  const list = lists.get(id)
  if (isShown === null || list?.status !== 'ready') return null
  const shown = list.entries.filter(entry => isShown(entry.id))
  return shown.length === 0 && opensAnyRow ? null : shown
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
