import type { SessionId } from '#shared/session/ids.ts'
import { lineageOf } from '../../store/selectors.ts'
import { viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { changedBelow, changedSessions } from './changed-sessions.ts'
import { createFilter, type Shown } from './filter.ts'
import { type Group, groupsOf } from './groups.ts'
import type { Row, TreeRow } from './row.ts'
import { createRowPool, isOfSession, type RowPool } from './row-pool.ts'
import { createTraitsTable, traitsOf } from './traits.ts'
import { addTrees, expandedOf, type Forest } from './tree-rows.ts'

const SHOWN_PER_FOLDER = 12

/** Fields that say what stands where, beside what is known of each session. */
const LAYOUT = [
  'summaries',
  'lists',
  'approvals',
  'unreadable',
  'expanded',
  'closedGroups',
  'fullGroups',
  'sort',
] as const satisfies readonly (keyof State)[]

/** Fields that say of every row what is shown below it, and in how many lines. */
const EVERYWHERE = ['closedGroups', 'query', 'filter'] as const satisfies readonly (keyof State)[]

/** Fields from which the view of a session is made, or that say which are shown. */
const VIEWS = [
  'entries',
  'live',
  'details',
  'parents',
  'query',
  'filter',
] as const satisfies readonly (keyof State)[]

/** The whole sidebar as one flat list, top to bottom. Pure. */
export function rowsOf(state: State): readonly Row[] {
  return createRows()(state)
}

/**
 * The rows of one state after the other. What a session does, costs or is called is not in its row: the row on screen
 * selects it. So most changes leave the list as it is, at the cost of looking at what changed; the others make it
 * anew, with the row objects that stay the same.
 */
export function createRows(): (state: State) => readonly Row[] {
  const traits = createTraitsTable()
  const filter = createFilter()
  const pool = createRowPool()
  const blocks: Forest['blocks'] = new Map()
  let before: State | null = null
  let shown: Shown | null = null
  let rows: readonly Row[] = []
  return state => {
    const held = before
    if (held !== null && isSame(held, state, LAYOUT) && isSame(held, state, VIEWS)) return rows
    const changed = held === null ? [] : changedSessions(held, state)
    const changes = traits.update(state, changed)
    const isShown = filter(state, changed)
    const staysPut = held !== null && isSame(held, state, LAYOUT) && isShown === shown && !changes.layout
    if (held === null || isShown !== shown || !isSame(held, state, EVERYWHERE)) blocks.clear()
    else forget(blocks, state, [...changes.ids, ...changedBelow(held, state)])
    before = state
    shown = isShown
    const forest: Forest = {
      lists: state.lists,
      isExpanded: id => state.expanded.has(id),
      traitsOf: id => traits.of(state, id),
      blocks,
      keep: pool.keep,
    }
    const patched = staysPut ? changedRows(pool, changes.ids, state, forest) : null
    rows = patched === null ? pool.settle(allRows(state, forest, isShown)) : pool.replace(patched)
    return rows
  }
}

/** Blocks that hold one of these are made anew. */
function forget(blocks: Forest['blocks'], state: State, ids: readonly SessionId[]): void {
  if (blocks.size === 0) return
  for (const id of ids) for (const above of lineageOf(state, id)) blocks.delete(above)
}

function isSame(one: State, other: State, fields: readonly (keyof State)[]): boolean {
  return fields.every(field => one[field] === other[field])
}

/** The rows of these sessions as they are now; `null` when they change more than themselves. */
function changedRows(
  pool: RowPool,
  ids: readonly SessionId[],
  state: State,
  forest: Forest,
): readonly Row[] | null {
  const isFolded = state.closedGroups.has('needs')
  const isNarrowed = state.query.trim() !== '' || state.filter !== 'all'
  if (ids.length > 0 && (isFolded || isNarrowed)) return null
  const changed: TreeRow[] = []
  for (const id of ids) {
    const row = pool.get(id)
    const traits = forest.traitsOf(id)
    if (row === undefined || traits === null || !isOfSession(row)) continue
    const expanded = expandedOf(forest, id, traits, null)
    if (expanded !== row.expanded && (expanded === true || row.expanded === true)) return null
    if (expanded !== row.expanded || traits.two !== row.two)
      changed.push({ ...row, expanded, two: traits.two })
  }
  return changed
}

function allRows(state: State, forest: Forest, isShown: Shown | null): readonly Row[] {
  const rows: Row[] = []
  const groups = groupsOf(state, id => forest.traitsOf(id)?.group ?? null)
  for (const group of groups) addGroup(state, group, forest, isShown, rows)
  addUnreadable(state, forest, rows)
  return rows
}

function addGroup(state: State, group: Group, forest: Forest, isShown: Shown | null, rows: Row[]): void {
  const { key, label, tone, asking } = group
  const roots = isShown === null ? group.roots : group.roots.filter(isShown)
  const shortcuts = isShown === null ? asking : asking.filter(approval => isShown(approval.sessionId))
  const count = roots.length + shortcuts.length
  if (count === 0) return
  const open = isShown !== null || !state.closedGroups.has(key)
  const needs = tone === 'needs'
  const first = rows.length === 0
  rows.push(forest.keep({ kind: 'group', key: `group:${key}`, group: key, label, count, open, needs, first }))
  for (const [index, { sessionId, rootId, path, approval }] of shortcuts.entries()) {
    const row: TreeRow = {
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
    }
    rows.push(forest.keep(row))
  }
  const visible = open ? roots : roots.filter(id => forest.traitsOf(id)?.waits)
  const limited = key.startsWith('folder:') && isShown === null && !state.fullGroups.has(key)
  const shown =
    limited && visible.length > SHOWN_PER_FOLDER + 1 ? visible.slice(0, SHOWN_PER_FOLDER) : visible
  const options = {
    isShown,
    opensAnyRow: state.filter === 'all',
    setSize: count,
    offset: shortcuts.length,
    folded: needs && !open,
  }
  addTrees(forest, shown, options, rows)
  const hidden = visible.length - shown.length
  if (hidden > 0) rows.push(forest.keep({ kind: 'more', key: `more:${key}`, group: key, hidden }))
}

function addUnreadable(state: State, { keep }: Forest, rows: Row[]): void {
  const { unreadable, closedGroups, query, filter } = state
  if (unreadable.length === 0 || query.trim() !== '' || filter !== 'all') return
  const open = !closedGroups.has('unreadable')
  const setSize = unreadable.length
  const group: Row = {
    kind: 'group',
    key: 'group:unreadable',
    group: 'unreadable',
    label: 'Cannot be read',
    count: setSize,
    open,
    needs: false,
    first: rows.length === 0,
  }
  rows.push(keep(group))
  if (!open) return
  for (const [index, { id, problem }] of unreadable.entries()) {
    const key = `record:${id}`
    rows.push(keep({ kind: 'record', key, id, problem, depth: 0, position: index + 1, setSize }))
  }
}

/** One tree by itself, with those rows open that `isExpanded` names. */
export function createTreeRows(
  root: SessionId,
  isExpanded: (id: SessionId) => boolean,
): (state: State) => readonly Row[] {
  const options = { isShown: null, opensAnyRow: true, setSize: 1, offset: 0, folded: false }
  const pool = createRowPool()
  return state => {
    const rows: Row[] = []
    const forest = {
      lists: state.lists,
      isExpanded,
      traitsOf: (id: SessionId) => traitsOf(viewOf(state, id)),
      blocks: new Map(),
      keep: pool.keep,
    }
    addTrees(forest, [root], options, rows)
    return pool.settle(rows)
  }
}
