import { describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { withBaseline, withLive, withSnapshot, withValue } from './live-values.ts'
import { projectionOf } from './projections.ts'
import { INITIAL_STATE, type State } from './state.ts'

/*
 * What a window holds of projections. The study's §8.15, RT, "projection store". Different here on purpose: there is no
 * truncation by a last seq at subscribing, since the subscription brings a snapshot, which replaces whatever its seq.
 */

const S = toSessionId('s')
const at = (asOfSeq: number, values: Record<string, string | null>) => ({ asOfSeq, values })
const valuesOf = (state: State) =>
  Object.fromEntries([...(state.live.get(S)?.cells ?? [])].map(([key, { value }]) => [key, value]))
const resubscribed = (state: State): State => ({ ...state, epoch: state.epoch + 1 })

describe('values of a session', () => {
  it('are undefined while nothing is known, which is not the same as null (RT: absent = undefined)', () => {
    expect(projectionOf(INITIAL_STATE.live.get(S), 'title')).toBeUndefined()
    const told = withValue(INITIAL_STATE, S, { key: 'title', value: null, seq: 1 })
    expect(projectionOf(told.live.get(S), 'title')).toBeNull()
  })

  it('go by the higher seq; an equal or lower one changes nothing, not even the state (RT: higher seq wins)', () => {
    const held = withValue(INITIAL_STATE, S, { key: 'title', value: 'second', seq: 2 })
    expect(withValue(held, S, { key: 'title', value: 'other', seq: 2 })).toBe(held)
    expect(withValue(held, S, { key: 'title', value: 'first', seq: 1 })).toBe(held)
    expect(valuesOf(withValue(held, S, { key: 'title', value: 'third', seq: 3 }))).toEqual({ title: 'third' })
  })

  it('of other keys and sessions keep their faces when one changes (RT: stable faces)', () => {
    const other = toSessionId('other')
    const before = withSnapshot(
      withSnapshot(INITIAL_STATE, other, at(1, { title: 'o' })),
      S,
      at(1, { a: 'A', b: 'B' }),
    )
    const after = withValue(before, S, { key: 'a', value: 'new', seq: 2 })
    expect(after.live.get(other)).toBe(before.live.get(other))
    expect(after.live.get(S)?.cells.get('b')).toBe(before.live.get(S)?.cells.get('b'))
  })

  it('are replaced by a subscription’s snapshot whatever its seq, and a key it lacks is gone (RT: truncate)', () => {
    const held = withValue(INITIAL_STATE, S, { key: 'doing', value: 'x', seq: 90 })
    const anew = withSnapshot(resubscribed(held), S, at(4, { title: 'after a restart' }))
    expect(valuesOf(anew)).toEqual({ title: 'after a restart' })
    expect(valuesOf(withValue(anew, S, { key: 'doing', value: 'y', seq: 5 }))).toMatchObject({ doing: 'y' })
  })

  it('of an earlier subscription are shown until this one says anything, whatever its seq', () => {
    const held = withLive(withValue(INITIAL_STATE, S, { key: 'title', value: 'old', seq: 90 }), S, {
      activity: 'running',
    })
    const told = withValue(resubscribed(held), S, { key: 'doing', value: 'now', seq: 3 })
    expect(valuesOf(told)).toEqual({ title: 'old', doing: 'now' })
    expect(told.live.get(S)?.activity).toBeUndefined()
    expect(valuesOf(withValue(told, S, { key: 'title', value: 'new', seq: 4 }))).toMatchObject({
      title: 'new',
    })
  })
})

describe('the values that a page brings', () => {
  it('neither overwrite nor clear what frames said since (RT: stale baseline)', () => {
    const held = withSnapshot(INITIAL_STATE, S, at(10, { title: 'ten' }))
    const told = withValue(held, S, { key: 'doing', value: 'eleven', seq: 11 })
    expect(withBaseline(told, S, at(9, { title: 'nine', doing: null, todos: 'nine' }))).toBe(told)
    expect(valuesOf(withBaseline(told, S, at(10, { title: 'ten' })))).toEqual({
      title: 'ten',
      doing: 'eleven',
    })
  })

  it('clear a key they lack, unless a frame brought it later, and make older frames late', () => {
    const told = ['a', 'b'].reduce(
      (state, key, index) => withValue(state, S, { key, value: key, seq: 5 + index * 10 }),
      INITIAL_STATE,
    )
    const read = withBaseline(told, S, at(10, { title: 'ten' }))
    expect(valuesOf(read)).toEqual({ title: 'ten', b: 'b' })
    expect(withValue(read, S, { key: 'a', value: 'late', seq: 10 })).toBe(read)
  })

  it('count for everything where an earlier subscription said otherwise: a host that restarted may know less', () => {
    const held = withSnapshot(INITIAL_STATE, S, at(90, { title: 'lost', doing: 'lost' }))
    expect(valuesOf(withBaseline(resubscribed(held), S, at(4, { title: 'kept' })))).toEqual({ title: 'kept' })
  })
})
