import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { childId, largeState, rootId } from '../../gallery/large-state.ts'
import { applyFrames } from '../../store/apply-frames.ts'
import type { State } from '../../store/state.ts'
import { withEntries } from '../../store/with-entries.ts'
import { createRows, rowsOf } from './rows.ts'

const ROOTS = 6
const CHILDREN = 10
const start: State = {
  ...largeState({ roots: ROOTS, children: CHILDREN, widest: 6 }),
  expanded: new Set([rootId(0)]),
}

const ids = fc.oneof(fc.nat({ max: ROOTS - 1 }).map(rootId), fc.nat({ max: CHILDREN - 1 }).map(childId))
const some = (id: fc.Arbitrary<SessionId>) =>
  fc.uniqueArray(id, { maxLength: 4 }).map(list => new Set<SessionId>(list))

type Change = (state: State, seq: number) => State

const frame = (make: (id: SessionId, seq: number) => Frame) =>
  ids.map(
    (id): Change =>
      (state, seq) =>
        applyFrames(state, [make(id, seq)]),
  )
const value = (key: string, values: readonly unknown[]) =>
  fc.tuple(ids, fc.constantFrom(...values)).map(
    ([id, one]): Change =>
      (state, seq) =>
        applyFrames(state, [{ kind: 'projection', sessionId: id, key, value: one, seq }]),
  )
const set =
  (change: Partial<State>): Change =>
  state => ({ ...state, ...change })

/** Everything that happens to a sidebar. */
const change: fc.Arbitrary<Change> = fc.oneof(
  value('outcome', [{ kind: 'running' }, { kind: 'completed' }, { kind: 'waiting', on: 'approval' }, null]),
  value('doing', [{ kind: 'thinking', since: 1 }, null]),
  value('title', ['Another title', null]),
  value('subagent', [{ mode: 'continuable', label: 'Another label', seq: 1 }]),
  frame(sessionId => ({ kind: 'activity', sessionId, activity: 'running' })),
  frame(sessionId => ({ kind: 'activity', sessionId, activity: 'inactive' })),
  frame(sessionId => ({ kind: 'rollup', sessionId, running: 1, waiting: 0 })),
  frame(sessionId => ({ kind: 'rollup', sessionId, running: 0, waiting: 1 })),
  frame(sessionId => ({ kind: 'removed', sessionId })),
  fc.nat({ max: 99 }).map(
    (at): Change =>
      (state, seq) =>
        applyFrames(state, [
          {
            kind: 'added',
            header: {
              version: 1,
              id: childId(1000 + seq),
              createdAt: 5,
              origin: 'subagent',
              parentSession: rootId(at % ROOTS),
            },
          },
        ]),
  ),
  some(ids).map(expanded => set({ expanded })),
  fc.subarray(['needs', 'working', 'archived']).map(closed => set({ closedGroups: new Set(closed) })),
  fc.constantFrom('', 'part 1', 'another').map(query => set({ query })),
  fc.constantFrom<State['filter']>('all', 'active', 'failed').map(filter => set({ filter })),
  fc.constantFrom<State['sort']>('recent', 'title').map(sort => set({ sort })),
  fc.nat({ max: 12 }).map(
    (count): Change =>
      state => {
        const list = state.lists.get(rootId(0))
        return list?.status === 'ready'
          ? withEntries(state, rootId(0), list.entries.slice(0, count), state)
          : state
      },
  ),
  ids.map(
    (id): Change =>
      state => ({ ...state, lists: new Map(state.lists).set(id, { status: 'loading' }) }),
  ),
)

const outcome = (
  sessionId: SessionId,
  one: { readonly kind: string; readonly on?: string },
  seq: number,
): Frame => ({ kind: 'projection', sessionId, key: 'outcome', value: { ...one }, seq })

describe('rows made of one state after the other', () => {
  it('are the rows that the last state alone would have', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), changes => {
        const rows = createRows()
        let state = start
        rows(state)
        for (const [index, one] of changes.entries()) {
          state = one(state, index + 1)
          expect(rows(state)).toEqual(rowsOf(state))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('are the same list while sessions work, cost and are renamed', () => {
    const rows = createRows()
    const running = applyFrames(start, [
      { kind: 'activity', sessionId: childId(3), activity: 'running' },
      { kind: 'projection', sessionId: childId(3), key: 'outcome', value: { kind: 'running' }, seq: 1 },
    ])
    const before = rows(running)

    const after = applyFrames(running, [
      {
        kind: 'projection',
        sessionId: childId(3),
        key: 'doing',
        value: { kind: 'thinking', since: 5 },
        seq: 2,
      },
      { kind: 'projection', sessionId: rootId(4), key: 'title', value: 'Renamed', seq: 2 },
      { kind: 'activity', sessionId: childId(5), activity: 'running' },
    ])

    expect(rows(after)).toBe(before)
  })

  it('change in the place of one row when its second line comes', () => {
    const rows = createRows()
    const before = rows(start)

    const after = rows(
      applyFrames(start, [
        { kind: 'activity', sessionId: childId(3), activity: 'running' },
        { kind: 'projection', sessionId: childId(3), key: 'outcome', value: { kind: 'running' }, seq: 1 },
      ]),
    )

    const changed = after.filter((row, index) => row !== before[index])
    expect(changed).toMatchObject([{ key: childId(3), two: true }])
  })

  it('have one line each below a root that waits in a closed group, whatever its children do', () => {
    const rows = createRows()
    const waiting = applyFrames({ ...start, closedGroups: new Set(['needs']) }, [
      { kind: 'activity', sessionId: rootId(0), activity: 'running' },
      outcome(rootId(0), { kind: 'waiting', on: 'approval' }, 1),
    ])
    rows(waiting)

    const after = applyFrames(waiting, [
      { kind: 'activity', sessionId: childId(3), activity: 'running' },
      outcome(childId(3), { kind: 'running' }, 1),
    ])

    expect(rows(after)).toEqual(rowsOf(after))
    expect(rows(after).find(row => row.key === childId(3))).toMatchObject({ two: false })
  })

  it('follow a search while labels change to what was searched for, and away from it', () => {
    const rows = createRows()
    const label = (at: number, text: string, seq: number): Frame => ({
      kind: 'projection',
      sessionId: childId(at),
      key: 'subagent',
      value: { mode: 'one-shot', label: text, seq: 1 },
      seq,
    })
    const found = (state: State) => rows(state).filter(row => row.kind === 'session' && row.depth === 1)
    const one = applyFrames({ ...start, query: 'wanted' }, [label(1, 'Wanted', 1)])
    expect(found(one)).toHaveLength(1)
    const two = applyFrames(one, [label(2, 'Wanted too', 1)])
    expect(found(two)).toHaveLength(2)
    const left = applyFrames(two, [label(1, 'Something else', 2)])
    expect(found(left).map(({ key }) => key)).toEqual([childId(2)])
  })
})
