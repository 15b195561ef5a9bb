import { describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import type { Row, TreeRow } from './row.ts'
import { commandOf, typeAhead } from './tree-keys.ts'

const session = (key: string, parentKey: string | null, expanded: boolean | null, depth = 0): TreeRow => ({
  kind: 'session',
  key,
  id: toSessionId(key),
  parentKey,
  expanded,
  depth,
  position: 1,
  setSize: 1,
  two: false,
  asking: null,
})
const group: Row = {
  kind: 'group',
  key: 'group:w',
  group: 'w',
  label: 'Working',
  count: 2,
  open: true,
  needs: false,
  first: true,
}
const rows: readonly Row[] = [
  group,
  session('a', null, true),
  session('a1', 'a', false, 1),
  { kind: 'loading', key: 'loading:x', parentId: toSessionId('a1'), depth: 2 },
  session('b', null, null),
]
const press = (index: number, key: string) =>
  commandOf(rows, index, { key, withModifier: false, withShift: false })

describe('keys of the tree', () => {
  it.each([
    [0, 'ArrowDown', 'a'],
    [1, 'ArrowUp', 'group:w'],
    [2, 'ArrowDown', 'b'],
    [4, 'ArrowUp', 'a1'],
    [4, 'Home', 'group:w'],
    [0, 'End', 'b'],
    [1, 'ArrowRight', 'a1'],
    [2, 'ArrowLeft', 'a'],
    [4, 'ArrowLeft', 'group:w'],
  ])('from row %i %s goes to %s', (index, key, to) => {
    expect(press(index, key)).toEqual({ kind: 'focus', key: to })
  })

  it('stop at both ends', () => {
    expect(press(4, 'ArrowDown')).toBeNull()
    expect(press(0, 'ArrowUp')).toBeNull()
  })

  it.each([
    [2, 'ArrowRight', 'expand'],
    [1, 'ArrowLeft', 'collapse'],
    [1, 'Enter', 'open'],
    [1, ' ', 'peek'],
    [0, ' ', 'open'],
    [0, 'ArrowLeft', 'collapse'],
    [1, 'F2', 'rename'],
    [1, 'Delete', 'archive'],
  ])('on row %i %s means %s', (index, key, kind) => {
    expect(press(index, key)).toEqual({ kind, row: rows[index] })
  })

  it('leave combinations to the window', () => {
    expect(commandOf(rows, 1, { key: 'ArrowDown', withModifier: true, withShift: false })).toBeNull()
  })

  it('find the next row that begins with what was typed, round the end', () => {
    const labels = (row: Row) => ('id' in row ? row.id : '')
    expect(typeAhead(rows, 1, 'a', labels)).toEqual({ kind: 'focus', key: 'a1' })
    expect(typeAhead(rows, 4, 'a', labels)).toEqual({ kind: 'focus', key: 'a' })
    expect(typeAhead(rows, 1, 'a1', labels)).toEqual({ kind: 'focus', key: 'a1' })
    expect(typeAhead(rows, 1, 'z', labels)).toBeNull()
  })
})
