import { isTreeRow, type Row } from './row.ts'

/** What a key asks for: another row, or something done with this one. */
export type TreeCommand =
  | { readonly kind: 'focus'; readonly key: string }
  | { readonly kind: 'peek'; readonly row: Row }
  | { readonly kind: 'expand' | 'collapse' | 'open' | 'rename' | 'archive' | 'trash'; readonly row: Row }

export interface Pressed {
  readonly key: string
  readonly withModifier: boolean
  readonly withShift: boolean
}

/** The tree pattern of the ARIA practices, over the flat list. `null`: not a key of the tree. */
export function commandOf(
  rows: readonly Row[],
  index: number,
  { key, withModifier, withShift }: Pressed,
): TreeCommand | null {
  const row = rows[index]
  if (row === undefined || withModifier) return null
  switch (key) {
    case 'ArrowDown':
      return focusAt(rows, index + 1, 1)
    case 'ArrowUp':
      return focusAt(rows, index - 1, -1)
    case 'Home':
      return focusAt(rows, 0, 1)
    case 'End':
      return focusAt(rows, rows.length - 1, -1)
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
