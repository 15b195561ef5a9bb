import { isTreeRow, type Row, type TreeRow } from './row.ts'

/** What a key asks for: another row, or something done with this one. */
export type TreeCommand =
  | { readonly kind: 'focus'; readonly key: string }
  | { readonly kind: 'peek'; readonly row: Row }
  | { readonly kind: 'expand-all'; readonly rows: readonly TreeRow[] }
  | { readonly kind: 'expand' | 'collapse' | 'open' | 'rename' | 'archive' | 'trash'; readonly row: Row }

/** A key without Ctrl, Alt or Cmd: those are the window's. */
export interface Pressed {
  readonly key: string
  readonly withShift: boolean
  /** Rows in a page. */
  readonly page: number
}

/** The tree pattern of the ARIA practices, over the flat list. `null`: not a key of the tree. */
export function commandOf(
  rows: readonly Row[],
  index: number,
  { key, withShift, page }: Pressed,
): TreeCommand | null {
  const row = rows[index]
  if (row === undefined) return null
  switch (key) {
    case 'ArrowDown':
      return focusAt(rows, index + 1, 1)
    case 'ArrowUp':
      return focusAt(rows, index - 1, -1)
    case 'Home':
      return focusAt(rows, 0, 1)
    case 'End':
      return focusAt(rows, rows.length - 1, -1)
    case 'PageDown':
      return focusNear(rows, Math.min(rows.length - 1, index + page), -1)
    case 'PageUp':
      return focusNear(rows, Math.max(0, index - page), 1)
    case '*':
      return expandAll(rows, index)
    case 'ArrowRight':
      return right(rows, index, row)
    case 'ArrowLeft':
      return left(rows, index, row)
    case 'Enter':
      return { kind: 'open', row }
    case ' ':
      return { kind: isTreeRow(row) ? 'peek' : 'open', row }
    case 'F2':
      return { kind: 'rename', row }
    case 'Delete':
      return { kind: withShift ? 'trash' : 'archive', row }
    default:
      return null
  }
}

/** The next row, from the one after `index` round to it, whose label begins with what was typed. */
export function typeAhead(
  rows: readonly Row[],
  index: number,
  typed: string,
  labelOf: (row: Row) => string,
): TreeCommand | null {
  const wanted = typed.toLowerCase()
  const start = typed.length > 1 ? index : index + 1
  for (let step = 0; step < rows.length; step += 1) {
    const row = rows[(start + step) % rows.length]
    if (row !== undefined && isTreeRow(row) && labelOf(row).toLowerCase().startsWith(wanted)) {
      return { kind: 'focus', key: row.key }
    }
  }
  return null
}

export function canFocus(row: Row): boolean {
  return row.kind !== 'loading'
}

function focusAt(rows: readonly Row[], from: number, step: 1 | -1): TreeCommand | null {
  for (let index = from; index >= 0 && index < rows.length; index += step) {
    const row = rows[index]
    if (row !== undefined && canFocus(row)) return { kind: 'focus', key: row.key }
  }
  return null
}

/** Where there is nothing to focus in that direction, in the other. */
function focusNear(rows: readonly Row[], from: number, step: 1 | -1): TreeCommand | null {
  return focusAt(rows, from, step) ?? focusAt(rows, from, step === 1 ? -1 : 1)
}

/** Each is a list to be read: more than these are not opened by one key, but the nearest. */
const OPENED_AT_ONCE = 100

/** Every closed row beside this one, under the same parent or in the same group. */
function expandAll(rows: readonly Row[], index: number): TreeCommand | null {
  const row = rows[index]
  if (row?.kind !== 'session') return null
  const closed = [...siblings(rows, index, -1).reverse(), row, ...siblings(rows, index, 1)].filter(
    one => one.expanded === false,
  )
  const nearest = Math.max(
    0,
    closed.findIndex(one => one.position >= row.position),
  )
  const from = Math.max(0, Math.min(nearest - OPENED_AT_ONCE / 2, closed.length - OPENED_AT_ONCE))
  return closed.length === 0 ? null : { kind: 'expand-all', rows: closed.slice(from, from + OPENED_AT_ONCE) }
}

function siblings(rows: readonly Row[], index: number, step: 1 | -1): TreeRow[] {
  const found: TreeRow[] = []
  const depth = depthOf(rows[index])
  for (let at = index + step; at >= 0 && at < rows.length; at += step) {
    const row = rows[at]
    if (row === undefined || row.kind === 'group' || depthOf(row) < depth) break
    if (row.kind === 'session' && row.depth === depth) found.push(row)
  }
  return found
}

function depthOf(row: Row | undefined): number {
  return row !== undefined && 'depth' in row ? row.depth : 0
}

function right(rows: readonly Row[], index: number, row: Row): TreeCommand | null {
  if (row.kind === 'group') return row.open ? focusAt(rows, index + 1, 1) : { kind: 'expand', row }
  if (row.kind !== 'session' || row.expanded === null) return null
  return row.expanded ? focusAt(rows, index + 1, 1) : { kind: 'expand', row }
}

function left(rows: readonly Row[], index: number, row: Row): TreeCommand | null {
  if (row.kind === 'group') return row.open ? { kind: 'collapse', row } : null
  if (row.kind === 'session' && row.expanded === true) return { kind: 'collapse', row }
  const parentKey =
    row.kind === 'session' || row.kind === 'diagnostic'
      ? row.parentKey
      : 'parentId' in row
        ? row.parentId
        : null
  if (parentKey !== null) return { kind: 'focus', key: parentKey }
  return groupAbove(rows, index)
}

function groupAbove(rows: readonly Row[], index: number): TreeCommand | null {
  const group = rows.slice(0, index).findLast(row => row.kind === 'group')
  return group === undefined ? null : { kind: 'focus', key: group.key }
}
