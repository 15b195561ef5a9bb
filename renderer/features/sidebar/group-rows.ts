import type { State } from '../../store/state.ts'
import type { Shown } from './filter.ts'
import { type Group, groupsOf } from './groups.ts'
import type { Row, TreeRow } from './row.ts'
import { addTrees, type Forest } from './tree-rows.ts'

const SHOWN_PER_FOLDER = 12

/** Every group with its head, the trees in it and what else stands between them, top to bottom. */
export function groupRows(state: State, forest: Forest, isShown: Shown | null): readonly Row[] {
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
