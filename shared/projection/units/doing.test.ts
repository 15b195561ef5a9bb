import { describe, expect, it } from 'vitest'
import {
  asks,
  calls,
  changesOf,
  decides,
  ends,
  person,
  results,
  starts,
  viewOf,
} from '../fixtures/unit-log.ts'
import { doing } from './doing.ts'

describe('what a session is doing', () => {
  it('is nothing before, between and after turns', () => {
    expect(viewOf(doing, [])).toBeNull()
    expect(viewOf(doing, [starts(), ends()])).toBeNull()
  })

  it('is thinking from the start of a turn until its first call', () => {
    expect(viewOf(doing, [starts(1, 500)])).toEqual({ kind: 'thinking', since: 500 })
  })

  it('is its newest call, in a verb and a target', () => {
    expect(
      viewOf(doing, [starts(), calls('a'), calls('b', { name: 'read', input: { path: 'x.ts' } })]),
    ).toEqual({
      kind: 'tool',
      verb: 'Read',
      target: 'x.ts',
      since: 3000,
    })
  })

  it('is the call before when the newest one has ended, and thinking when all have', () => {
    expect(viewOf(doing, [starts(), calls('a'), calls('b'), results('b')])).toMatchObject({ since: 2000 })
    expect(viewOf(doing, [starts(), calls('a'), results('a')])).toEqual({ kind: 'thinking', since: 1000 })
  })

  it('is an open question first, whatever else runs', () => {
    expect(viewOf(doing, [starts(), asks('q', 'c1'), calls('c2')])).toMatchObject({
      kind: 'asking',
      since: 2000,
    })
  })

  it('is the call itself once it was allowed', () => {
    const log = [starts(), asks('q', 'c1'), decides('q', 'c1'), calls('c1')]
    expect(viewOf(doing, log)).toMatchObject({ kind: 'tool', verb: 'Run', target: 'npm test' })
  })

  it('forgets calls that a turn left behind', () => {
    expect(viewOf(doing, [starts(), calls('a'), starts(2, 9000)])).toEqual({ kind: 'thinking', since: 9000 })
  })

  it('is not inherited, and not changed by messages or by results of nothing', () => {
    expect(viewOf(doing, [starts(), calls('a')], { seedLength: 2 })).toBeNull()
    expect(changesOf(doing, [starts(), person('hello'), results('other')])).toEqual([0])
  })
})
