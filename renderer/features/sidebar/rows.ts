import type { SessionId } from '#shared/session/ids.ts'
import { labelOf } from '../../store/row-words.ts'
import { type AnyView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { type Group, groupsOf } from './groups.ts'
import type { Row, TreeRow } from './row.ts'
import { addTrees, type Shown } from './tree-rows.ts'

const SHOWN_PER_FOLDER = 12

/** The whole sidebar as one flat list, top to bottom. Pure; rows that did not change keep their identity. */
export function rowsOf(state: State, previous: readonly Row[] = []): readonly Row[] {
  const rows: Row[] = []
  const isShown = filterOf(state)
  for (const group of groupsOf(state)) addGroup(state, group, isShown, rows)
  addUnreadable(state, rows)
  return reused(previous, rows)
}

/** One tree by itself, with those rows open that `expanded` names. */
export function rowsOfTree(
  state: State,
  root: SessionId,
  expanded: ReadonlySet<SessionId>,
  previous: readonly Row[] = [],
): readonly Row[] {
  const rows: Row[] = []
  addTrees({ ...state, expanded }, [root], { isShown: null, setSize: 1, offset: 0, folded: false }, rows)
  return reused(previous, rows)
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
  if (query !== '' && !labelOf(view).toLowerCase().includes(query) && !isIdPart(view.id, query)) return false
  if (filter === 'all') return true
  if (view.kind === 'diagnostic') return filter === 'failed'
  const { state } = view.status
  if (filter === 'failed') return state === 'failed' || state === 'interrupted' || state === 'limited'
  return state === 'running' || state === 'waiting' || state === 'queued'
}

/** Two digits stand in every other id: only what must have been copied from one counts. */
function isIdPart(id: SessionId, query: string): boolean {
  return query.length >= 6 && id.toLowerCase().includes(query)
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
    const twin: unknown = Reflect.get(other, field)
    return value === twin || (field === 'asking' && sameAsking(value, twin))
  })
}

function sameAsking(one: TreeRow['asking'], other: unknown): boolean {
  return one !== null && one.since === (other as TreeRow['asking'])?.since
}
