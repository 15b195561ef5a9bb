import { describe, expect, it } from 'vitest'
import { type PaletteItem, search } from './palette-items.ts'

const item = (label: string, detail = '', mark: PaletteItem['mark'] = 'done'): PaletteItem => ({
  key: label,
  mark,
  icon: 'list',
  label,
  detail,
  aside: '',
  keys: null,
  run: () => {},
})
const items = [
  item('Check error recovery', 'Refactor the parser'),
  item('Refactor the parser', 'quill'),
  item('Map spans to tokens', 'Refactor the parser'),
  item('Rename session', '', null),
]
const found = (query: string) => search(items, query).map(({ label }) => label)

describe('searching the palette', () => {
  it('puts what begins with the words before what contains them', () => {
    expect(found('re')).toEqual(['Refactor the parser', 'Rename session', 'Check error recovery'])
  })

  it('finds by the path from three letters on', () => {
    expect(found('parser')).toEqual(['Refactor the parser', 'Check error recovery', 'Map spans to tokens'])
  })

  it('finds letters in order when nothing else is left', () => {
    expect(found('mstk')).toEqual(['Map spans to tokens'])
    expect(found('zzz')).toEqual([])
  })

  it('offers sessions and every action before anything is typed', () => {
    expect(found('')).toContain('Rename session')
    expect(found('')).toHaveLength(4)
  })
})
