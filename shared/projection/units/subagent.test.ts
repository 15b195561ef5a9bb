import { describe, expect, it } from 'vitest'
import { changesOf, continuable, foldOf, type Logged, oneShot, person, viewOf } from '../fixtures/unit-log.ts'
import { subagent } from './subagent.ts'

const malformed: Logged = ['subagent/descriptor', { version: 2, mode: 'continuable', provider: 'p' }]
const tomorrow: Logged = ['subagent/descriptor', { version: 3, mode: 'one-shot', provider: 'p' }]
const state = (log: readonly Logged[], seedLength = 0) =>
  foldOf(subagent, log, { seedLength }).stateOf('subagent')

describe('a subagent’s identity', () => {
  it('is that of its descriptor, with the place where it stands', () => {
    expect(viewOf(subagent, [person('x'), continuable('Keep notes')])).toEqual({
      mode: 'continuable',
      label: 'Keep notes',
      seq: 1,
    })
    expect(viewOf(subagent, [oneShot('Look')])).toEqual({ mode: 'one-shot', label: 'Look', seq: 0 })
  })

  it('of an unlabelled one-shot has no label key', () => {
    expect(viewOf(subagent, [oneShot()])).toEqual({ mode: 'one-shot', seq: 0 })
  })

  it('is null without a descriptor, never an absent key', () => {
    expect(viewOf(subagent, [person('x')])).toBeNull()
    expect(state([person('x')])).toEqual({ identity: null, own: 0, absence: 'missing' })
  })

  it('is that of the last descriptor of the whole log, inherited ones included', () => {
    expect(viewOf(subagent, [continuable('One'), oneShot('Two')])).toMatchObject({ label: 'Two', seq: 1 })
    expect(viewOf(subagent, [continuable('Parent')], { seedLength: 1 })).toMatchObject({
      label: 'Parent',
      seq: 0,
    })
  })

  it('is reset by a descriptor that cannot stand, and says which kind', () => {
    expect(viewOf(subagent, [continuable('Well'), malformed])).toBeNull()
    expect(state([continuable('Well'), malformed])).toMatchObject({ identity: null, absence: 'malformed' })
    expect(state([continuable('Well'), tomorrow])).toMatchObject({ identity: null, absence: 'version' })
  })

  it('stands again with a later descriptor that is well', () => {
    expect(state([malformed, continuable('Well')])).toMatchObject({
      identity: { label: 'Well' },
      absence: null,
    })
  })

  it('counts own descriptors only', () => {
    const log = [continuable('Parent'), continuable('Own'), malformed]
    expect(state(log, 1)).toMatchObject({ own: 2 })
    expect(state(log, 3)).toMatchObject({ own: 0 })
  })

  it('is published at descriptors and nowhere else', () => {
    expect(
      changesOf(subagent, [person('x'), oneShot(), person('y'), ['session/title', { title: 'T' }]]),
    ).toEqual([1])
  })
})
