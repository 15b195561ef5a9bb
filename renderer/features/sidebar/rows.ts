import type { SessionId } from '#shared/session/ids.ts'
import { lineageOf } from '../../store/selectors.ts'
import { viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { changedBelow, changedSessions } from './changed-sessions.ts'
import { createFilter, type Shown } from './filter.ts'
import { groupRows } from './group-rows.ts'
import type { Row, TreeRow } from './row.ts'
import { createRowPool, isOfSession, type RowPool } from './row-pool.ts'
import { createTraitsTable, traitsOf } from './traits.ts'
import { addTrees, expandedOf, type Forest } from './tree-rows.ts'

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
    rows = patched === null ? pool.settle(groupRows(state, forest, isShown)) : pool.replace(patched)
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
