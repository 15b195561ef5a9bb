import { describe, expect, it } from 'vitest'
import { changesOf, results, viewOf } from '../fixtures/unit-log.ts'
import { files } from './files.ts'

describe('changed files', () => {
  it('are named once each, in the order of their first change', () => {
    const log = [results('a', { files: ['b.ts', 'a.ts'] }), results('b', { files: ['a.ts', 'c.ts', 'c.ts'] })]
    expect(viewOf(files, log)).toEqual(['b.ts', 'a.ts', 'c.ts'])
  })

  it('are the session’s own: an inherited change is not among them', () => {
    const log = [results('a', { files: ['parent.ts'] }), results('b', { files: ['own.ts'] })]
    expect(viewOf(files, log, { seedLength: 1 })).toEqual(['own.ts'])
  })

  it('publish nothing for a call that changed nothing new, or whose list cannot be read', () => {
    const log = [
      results('a', { files: ['a.ts'] }),
      results('b'),
      results('c', { files: ['a.ts'] }),
      results('d', { files: 'a.ts' }),
      results('e', { files: [1, null] }),
    ]
    expect(changesOf(files, log)).toEqual([0])
  })
})
