import { describe, expect, it } from 'vitest'
import { calls, changesOf, continuable, ends, oneShot, person, starts, viewOf } from '../fixtures/unit-log.ts'
import { subagentTiming } from './subagent-timing.ts'

/*
 * Numbers are those of the study's §8.8. On purpose different: roots have a timing too, so a turn before any
 * descriptor opens one (11); the open turn keeps its start through a reset (9).
 */

const end = (time: number) => ends({ kind: 'completed' }, time)
const timing = (...log: Parameters<typeof viewOf>[1]) => viewOf(subagentTiming, log)

describe('the time of a subagent', () => {
  it('is nothing at first (8.8.8)', () => {
    expect(timing()).toEqual({ settledMs: 0, runningSince: null, through: null })
  })

  it('adds up the turns, not what is between them', () => {
    expect(timing(starts(1, 100), end(400), starts(2, 9000), end(9050))).toMatchObject({ settledMs: 350 })
  })

  it('says since when a turn is open, and through when something is known of it (8.8.10)', () => {
    expect(timing(starts(1, 100))).toEqual({ settledMs: 0, runningSince: 100, through: 100 })
    expect(timing(starts(1, 100), ['step/end', {}, 250])).toEqual({
      settledMs: 0,
      runningSince: 100,
      through: 250,
    })
  })

  it('begins anew at a descriptor, counting an open turn from its start (8.8.9)', () => {
    expect(timing(starts(1, 100), end(400), continuable('A'))).toMatchObject({ settledMs: 0 })
    expect(timing(starts(1, 100), oneShot(), end(400))).toMatchObject({ settledMs: 300 })
  })

  it('counts a clock that steps back as no time (8.8.10)', () => {
    expect(timing(starts(1, 500), end(100))).toMatchObject({ settledMs: 0, runningSince: null })
    expect(timing(starts(1, 500), ['step/end', {}, 100])).toMatchObject({ through: 500 })
  })

  it('is a number that JSON can hold, whatever the clock says', () => {
    expect(timing(starts(1, -1.7e308), end(1.7e308))).toMatchObject({ settledMs: Number.MAX_SAFE_INTEGER })
  })

  it('does not count inherited turns', () => {
    expect(viewOf(subagentTiming, [starts(1, 0), end(900)], { seedLength: 2 })).toMatchObject({
      settledMs: 0,
    })
  })

  it('moves at the edges of turns, steps and calls only', () => {
    expect(changesOf(subagentTiming, [person('x'), starts(), person('y'), calls('c')])).toEqual([1, 3])
    expect(changesOf(subagentTiming, [person('x'), calls('c'), end(5)])).toEqual([])
  })
})
