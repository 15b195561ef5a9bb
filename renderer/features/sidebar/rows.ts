import type { SessionId } from '#shared/session/ids.ts'
import { labelOf, secondLine } from '../../store/row-words.ts'
import { activeChildrenOf } from '../../store/selectors.ts'
import { type AnyView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { type Group, groupsOf } from './groups.ts'

/** Where a tree row stands among its siblings, for those who cannot see it. */
interface Place {
  readonly depth: number
  readonly position: number
  readonly setSize: number
}

export type TreeRow = Place & {
  readonly kind: 'session' | 'diagnostic'
  readonly key: string
  readonly id: SessionId
  readonly parentKey: string | null
  /** `null`: there is nothing below it. */
  readonly expanded: boolean | null
  readonly two: boolean
  /** A second row of a child that asks: since when, and under whom. */
  readonly asking: {
    readonly since: number
    readonly rootId: SessionId
    readonly path: readonly string[]
  } | null
}

/** A root whose header cannot be read. */
export type RecordRow = Place & {
  readonly kind: 'record'
  readonly key: string
  readonly id: string
  readonly problem: string
}

/** What stands between tree rows and is none itself. */
export type OtherRow =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly group: string
      readonly label: string
      readonly count: number
      readonly open: boolean
      readonly needs: boolean
      readonly first: boolean
    }
  | { readonly kind: 'more'; readonly key: string; readonly group: string; readonly hidden: number }
  | { readonly kind: 'loading'; readonly key: string; readonly parentId: SessionId; readonly depth: number }
  | { readonly kind: 'failed'; readonly key: string; readonly parentId: SessionId; readonly depth: number }

export type Row = TreeRow | RecordRow | OtherRow

const SHOWN_PER_FOLDER = 12

/** The whole sidebar as one flat list, top to bottom. Pure; rows that did not change keep their identity. */
export function rowsOf(state: State, previous: readonly Row[] = []): readonly Row[] {
  const rows: Row[] = []
  const isShown = filterOf(state)
  for (const group of groupsOf(state)) addGroup(state, group, isShown, rows)
  addUnreadable(state, rows)
  return reused(previous, rows)
}

export function rowHeight(row: Row): number {
  if (row.kind === 'group') return row.first ? 26 : 32
  if (row.kind === 'more') return 26
  return row.kind === 'record' || ('two' in row && row.two) ? 44 : 28
}

export function isTreeRow(row: Row): row is TreeRow | RecordRow {
  return row.kind === 'session' || row.kind === 'diagnostic' || row.kind === 'record'
}

function addGroup(state: State, group: Group, isShown: Shown | null, rows: Row[]): void {
  const { key, label, tone, asking } = group
  const roots = isShown === null ? group.roots : group.roots.filter(isShown)
  const shortcuts = isShown === null ? asking : asking.filter(approval => isShown(approval.sessionId))
  const count = roots.length + shortcuts.length
  if (count === 0) return
  const open = isShown !== null || !state.closedGroups.has(key)
  const needs = tone === 'needs'
  rows.push({
    kind: 'group',
    key: `group:${key}`,
    group: key,
    label,
    count,
    open,
    needs,
    first: rows.length === 0,
  })
  for (const [index, { sessionId, rootId, path, approval }] of shortcuts.entries()) {
    rows.push({
      kind: 'session',
      key: `asking:${sessionId}`,
      id: sessionId,
      parentKey: null,
      depth: 0,
      position: index + 1,
      setSize: count,
      expanded: null,
      two: open,
      asking: { since: approval.since, rootId, path },
    })
  }
  const visible = open ? roots : roots.filter(id => waits(viewOf(state, id)))
  const limited = key.startsWith('folder:') && isShown === null && !state.fullGroups.has(key)
  const shown =
    limited && visible.length > SHOWN_PER_FOLDER + 1 ? visible.slice(0, SHOWN_PER_FOLDER) : visible
  addTrees(state, shown, { isShown, setSize: count, offset: shortcuts.length, folded: needs && !open }, rows)
  const hidden = visible.length - shown.length
  if (hidden > 0) rows.push({ kind: 'more', key: `more:${key}`, group: key, hidden })
}

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

/** Depth first without recursion: chains may be longer than a stack. A cycle in damaged records is cut. */
function addTrees(state: State, roots: readonly SessionId[], options: TreeOptions, rows: Row[]): void {
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

function waits(view: AnyView | null): boolean {
  return view?.kind === 'session' && (view.status.state === 'waiting' || view.rollup.waiting > 0)
}

function addUnreadable(state: State, rows: Row[]): void {
  const { unreadable, closedGroups, query, filter } = state
  if (unreadable.length === 0 || query.trim() !== '' || filter !== 'all') return
  const open = !closedGroups.has('unreadable')
  const count = unreadable.length
  const first = rows.length === 0
  rows.push({
    kind: 'group',
    key: 'group:unreadable',
    group: 'unreadable',
    label: 'Cannot be read',
    count,
    open,
    needs: false,
    first,
  })
  if (!open) return
  for (const [index, { id, problem }] of unreadable.entries()) {
    rows.push({
      kind: 'record',
      key: `record:${id}`,
      id,
      problem,
      depth: 0,
      position: index + 1,
      setSize: count,
    })
  }
}

type Shown = (id: SessionId) => boolean

/** What a search or a filter leaves: rows that match, and every row above one that does. `null`: everything. */
function filterOf(state: State): Shown | null {
  const query = state.query.trim().toLowerCase()
  if (query === '' && state.filter === 'all') return null
  const shown = new Set<SessionId>()
  for (const id of [...state.summaries.keys(), ...state.entries.keys()]) {
    const view = viewOf(state, id)
    if (view === null || !matches(view, query, state.filter)) continue
    for (
      let above: SessionId | undefined = id;
      above !== undefined && !shown.has(above);
      above = state.parents.get(above)
    ) {
      shown.add(above)
    }
  }
  return id => shown.has(id)
}

function matches(view: AnyView, query: string, filter: State['filter']): boolean {
  if (query !== '' && !labelOf(view).toLowerCase().includes(query) && !view.id.toLowerCase().includes(query))
    return false
  if (filter === 'all') return true
  if (view.kind === 'diagnostic') return filter === 'failed'
  const { state } = view.status
  if (filter === 'failed') return state === 'failed' || state === 'interrupted' || state === 'limited'
  return state === 'running' || state === 'waiting' || state === 'queued'
}

/** The previous row object wherever nothing about it changed, so that memoised rows do not render again. */
function reused(previous: readonly Row[], rows: readonly Row[]): readonly Row[] {
  if (previous.length === 0) return rows
  const held = new Map(previous.map(row => [row.key, row]))
  let changed = rows.length !== previous.length
  const next = rows.map((row, index) => {
    const before = held.get(row.key)
    const kept = before !== undefined && isSame(before, row) ? before : row
    if (kept !== previous[index]) changed = true
    return kept
  })
  return changed ? next : previous
}

function isSame(one: Row, other: Row): boolean {
  return Object.entries(one).every(([field, value]) => {
    const twin = (other as unknown as Readonly<Record<string, unknown>>)[field]
    return value === twin || (field === 'asking' && sameAsking(value, twin))
  })
}

function sameAsking(one: TreeRow['asking'], other: unknown): boolean {
  return one !== null && one.since === (other as TreeRow['asking'])?.since
}
