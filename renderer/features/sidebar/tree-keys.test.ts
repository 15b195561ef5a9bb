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
const press = (index: number, key: string) => commandOf(rows, index, { key, withShift: false, page: 2 })

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

  it.each([
    [0, 'PageDown', 'a1'],
    [1, 'PageDown', 'a1'],
    [2, 'PageDown', 'b'],
    [4, 'PageUp', 'a1'],
    [2, 'PageUp', 'group:w'],
  ])('from row %i %s goes a page on, to %s, over what cannot be focused', (index, key, to) => {
    expect(press(index, key)).toEqual({ kind: 'focus', key: to })
  })

  it('open with a star every closed row beside this one, and none elsewhere', () => {
    const forest: readonly Row[] = [
      group,
      session('a', null, true),
      session('a1', 'a', false, 1),
      session('a2', 'a', true, 1),
      session('a21', 'a2', false, 2),
      session('a3', 'a', null, 1),
      session('a4', 'a', false, 1),
      session('b', null, false),
      { ...group, key: 'group:other' },
      session('c', null, false),
    ]
    const opened = (index: number) => {
      const command = commandOf(forest, index, { key: '*', withShift: true, page: 1 })
      return command?.kind === 'expand-all' ? command.rows.map(row => row.key) : command
    }
    expect(opened(5)).toEqual(['a1', 'a4'])
    expect(opened(1)).toEqual(['b'])
    expect(opened(4)).toEqual(['a21'])
    expect(opened(0)).toBeNull()
  })

  it('open no more than a hundred with a star, those around it', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...session(`child-${index}`, 'p', false, 1),
      position: index + 1,
    }))
    const command = commandOf(many, 300, { key: '*', withShift: true, page: 1 })
    expect(command?.kind === 'expand-all' ? command.rows.map(row => row.position) : null).toEqual(
      Array.from({ length: 100 }, (_, index) => 251 + index),
    )
  })

  it('find the next row that begins with what was typed, round the end', () => {
    const labels = (row: Row) => ('id' in row ? row.id : '')
    expect(typeAhead(rows, 1, 'a', labels)).toEqual({ kind: 'focus', key: 'a1' })
    expect(typeAhead(rows, 4, 'a', labels)).toEqual({ kind: 'focus', key: 'a' })
    expect(typeAhead(rows, 1, 'a1', labels)).toEqual({ kind: 'focus', key: 'a1' })
    expect(typeAhead(rows, 1, 'z', labels)).toBeNull()
  })
})
