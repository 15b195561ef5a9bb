import { describe, expect, it } from 'vitest'
import { changesOf, ends, person, starts, viewOf } from '../fixtures/unit-log.ts'
import { turns } from './turns.ts'

describe('turns', () => {
  it('are counted as they start; the last end is where the settlement stands', () => {
    expect(viewOf(turns, [])).toEqual({ own: 0, latest: 0, endSeq: null })
    expect(viewOf(turns, [starts(1), ends(), starts(2), ends(), starts(3)])).toEqual({
      own: 3,
      latest: 3,
      endSeq: 3,
    })
  })

  it('go on after an inherited prefix, which is not counted as own', () => {
    expect(viewOf(turns, [starts(1), ends(), starts(2)], { seedLength: 2 })).toEqual({
      own: 1,
      latest: 2,
      endSeq: null,
    })
  })

  it('go on by one where a number cannot be read', () => {
    for (const turn of ['2', null, 1.5, -1, Number.POSITIVE_INFINITY]) {
      expect(viewOf(turns, [starts(1), ['turn/start', { turn }]])).toMatchObject({ latest: 2 })
    }
  })

  it('are not changed by what happens inside them', () => {
    expect(changesOf(turns, [starts(), person('x'), ends()])).toEqual([0, 2])
  })
})
