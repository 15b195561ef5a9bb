import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import { childId, largeState, rootId } from '../gallery/large-state.ts'
import { applyFrames } from './apply-frames.ts'
import { activeChildrenOf, lineageOf } from './selectors.ts'
import type { State } from './state.ts'

const CHILDREN = 20
const waiting: Frame[] = [
  { kind: 'activity', sessionId: rootId(0), activity: 'running' },
  {
    kind: 'projection',
    sessionId: rootId(0),
    key: 'outcome',
    value: { kind: 'waiting', on: 'children' },
    seq: 1,
  },
]
const start = applyFrames(largeState({ roots: 2, children: CHILDREN, widest: 15 }), waiting)

describe('children that are alive', () => {
  it('are counted right whatever frames say, one after the other', () => {
    const frame = fc.record({
      kind: fc.constant('activity' as const),
      sessionId: fc.nat({ max: CHILDREN - 1 }).map(childId),
      activity: fc.constantFrom<'running' | 'inactive'>('running', 'inactive'),
    })
    fc.assert(
      fc.property(fc.array(fc.array(frame, { maxLength: 4 }), { maxLength: 20 }), batches => {
        let state: State = start
        for (const batch of batches) {
          state = applyFrames(state, batch)
          const alive = Array.from({ length: 15 }, (_, index) => state.live.get(childId(index))?.activity)
          expect(activeChildrenOf(state, rootId(0))).toBe(alive.filter(one => one === 'running').length)
        }
      }),
    )
  })

  it('are nobody’s business while their parent does not wait for them', () => {
    const busy = applyFrames(start, [
      { kind: 'activity', sessionId: childId(0), activity: 'running' },
      { kind: 'projection', sessionId: rootId(0), key: 'outcome', value: { kind: 'running' }, seq: 2 },
    ])
    expect(activeChildrenOf(busy, rootId(0))).toBe(0)
  })
})

describe('a lineage', () => {
  it('goes from the root down, and ends at a cycle', () => {
    const parents = new Map([
      [childId(2), childId(1)],
      [childId(1), rootId(0)],
    ])
    expect(lineageOf({ ...start, parents }, childId(2))).toEqual([rootId(0), childId(1), childId(2)])
    parents.set(rootId(0), childId(2))
    expect(lineageOf({ ...start, parents }, childId(2))).toEqual([rootId(0), childId(1), childId(2)])
  })
})
