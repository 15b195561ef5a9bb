import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBlockSplitter, splitBlocks } from './split-blocks.ts'

const line = fc.constantFrom(
  '',
  '',
  'text',
  '- item',
  '1. one',
  '  more',
  '> quote',
  '```',
  '```js',
  '# head',
  '| a | b |',
  '12',
  '    code',
)
const text = fc.array(line, { maxLength: 24 }).map(lines => lines.join('\n'))

describe('markdown blocks', () => {
  it('are cut at blank lines, never inside a fence or a loose list', () => {
    expect(splitBlocks('one\n\ntwo\n\n```\na\n\nb\n```\n\n- x\n\n- y\n\n  z\n\nend')).toEqual([
      'one\n\n',
      'two\n\n',
      '```\na\n\nb\n```\n\n',
      '- x\n\n- y\n\n  z\n\n',
      'end',
    ])
  })

  it('stay whole where a reference is defined', () => {
    const text = 'see [a]\n\n[a]: http://x.y'
    expect(splitBlocks(text)).toEqual([text])
  })

  it('together are the text', () => {
    fc.assert(
      fc.property(text, whole => {
        expect(splitBlocks(whole).join('')).toBe(whole)
      }),
    )
  })

  it('are the same whether the text came at once or grew', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(120)), (whole, cuts) => {
        const split = createBlockSplitter()
        for (const cut of cuts.toSorted((a, b) => a - b)) split(whole.slice(0, cut))
        expect(split(whole)).toEqual(splitBlocks(whole))
      }),
    )
  })
})
