import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { applyFrames } from './apply-frames.ts'
import { projectionOf } from './projections.ts'
import { INITIAL_STATE, type State } from './state.ts'
import { EMPTY_TRANSCRIPT } from './transcripts.ts'

const root = toSessionId('root')
const child = toSessionId('child')

const title = (value: string, seq: number): Frame => ({
  kind: 'projection',
  sessionId: root,
  key: 'title',
  value,
  seq,
})
const snapshot = (asOfSeq: number, values: Record<string, string>): Frame => ({
  kind: 'snapshot',
  sessionId: root,
  asOfSeq,
  values,
})
const added = (id: string, parent?: string): Frame => ({
  kind: 'added',
  header: {
    version: 1,
    id: toSessionId(id),
    createdAt: 5,
    ...(parent !== undefined && { origin: 'subagent', parentSession: toSessionId(parent) }),
  },
})
const valuesOf = (state: State) =>
  Object.fromEntries([...(state.live.get(root)?.cells ?? [])].map(([key, { value }]) => [key, value]))

describe('applying frames', () => {
  it('keeps the value of the higher seq, in whatever order they come', () => {
    const state = applyFrames(INITIAL_STATE, [title('second', 2), title('first', 1), title('same seq', 2)])
    expect(projectionOf(state.live.get(root), 'title')).toBe('second')
  })

  it('replaces everything of a session by a snapshot, even one that knows less', () => {
    const before = applyFrames(INITIAL_STATE, [
      title('old', 90),
      { kind: 'projection', sessionId: root, key: 'doing', value: 'x', seq: 91 },
    ])

    const after = applyFrames(before, [snapshot(4, { title: 'after a restart' })])

    expect(valuesOf(after)).toEqual({ title: 'after a restart' })
  })

  it('drops frames at or below the snapshot, for keys that it did not have too', () => {
    const state = applyFrames(INITIAL_STATE, [
      snapshot(10, { title: 'now' }),
      title('late', 10),
      { kind: 'projection', sessionId: root, key: 'doing', value: 'late', seq: 9 },
    ])
    expect(valuesOf(state)).toEqual({ title: 'now' })
  })

  it('ends with the latest values after any order and repetition of frames', () => {
    const frame = fc.record({ key: fc.constantFrom('a', 'b', 'c'), seq: fc.integer({ min: 0, max: 30 }) })
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 80 }),
        (sent, picks) => {
          const frames = sent.map(
            ({ key, seq }): Frame => ({
              kind: 'projection',
              sessionId: root,
              key,
              value: `${key}${seq}`,
              seq,
            }),
          )
          const shuffled = [
            ...picks.flatMap(pick => frames[pick % Math.max(1, frames.length)] ?? []),
            ...frames,
          ]
          const expected = new Map<string, number>()
          for (const { key, seq } of sent) expected.set(key, Math.max(seq, expected.get(key) ?? -1))

          const state = applyFrames(INITIAL_STATE, shuffled)

          expect(valuesOf(state)).toEqual(
            Object.fromEntries([...expected].map(([key, seq]) => [key, `${key}${seq}`])),
          )
        },
      ),
    )
  })

  it('is equal to the last snapshot whatever came before it and whatever late frames come after', () => {
    const old = fc.record({ key: fc.constantFrom('a', 'b', 'c'), seq: fc.integer({ min: 0, max: 20 }) })
    fc.assert(
      fc.property(fc.array(old), fc.array(old), (before, late) => {
        const frames = (list: typeof before): Frame[] =>
          list.map(({ key, seq }) => ({ kind: 'projection', sessionId: root, key, value: 'old', seq }))
        const last = snapshot(20, { a: 'A', b: 'B' })

        const state = applyFrames(INITIAL_STATE, [...frames(before), last, ...frames(late)])

        expect(valuesOf(state)).toEqual({ a: 'A', b: 'B' })
      }),
    )
  })

  it('skips a malformed frame, says so, and takes the others', () => {
    const rejected: unknown[] = []
    const state = applyFrames(INITIAL_STATE, [{ kind: 'surprise' }, null, title('kept', 1)], frame =>
      rejected.push(frame),
    )
    expect(rejected).toEqual([{ kind: 'surprise' }, null])
    expect(valuesOf(state)).toEqual({ title: 'kept' })
  })

  it('skips a frame that cannot be applied, and takes the others', () => {
    const hostile = { ...INITIAL_STATE, transcripts: null as never }
    const events: Frame = { kind: 'events', sessionId: root, events: [] }
    const rejected: string[] = []
    const state = applyFrames(hostile, [events, title('kept', 1)], (_, problem) => rejected.push(problem))
    expect(rejected).toHaveLength(1)
    expect(valuesOf(state)).toEqual({ title: 'kept' })
  })

  it('puts a root away and takes it back, in every window', () => {
    const archived = (put: boolean): Frame => ({ kind: 'archived', sessionId: root, archived: put })
    const listed = applyFrames(INITIAL_STATE, [added('root')])
    const away = applyFrames(listed, [archived(true)])
    expect(away.summaries.get(root)?.archived).toBe(true)
    expect(applyFrames(away, [archived(true)])).toBe(away)
    expect(applyFrames(away, [archived(false)]).summaries.get(root)?.archived).toBe(false)
    // One that this window does not know yet: its list is read again.
    expect(applyFrames(INITIAL_STATE, [archived(false)]).rootsVersion).toBe(INITIAL_STATE.rootsVersion + 1)
  })

  it('asks for a parent to be listed again when a child is added to a listed one', () => {
    const listed = {
      ...INITIAL_STATE,
      lists: new Map([[root, { status: 'ready' as const, entries: [], failure: null }]]),
    }
    const state = applyFrames(listed, [added('child', 'root'), added('other', 'not-listed')])
    expect([...state.stale]).toEqual([root])
    expect(state.parents.get(child)).toBe(root)
    expect(state.live.get(root)?.hasChildren).toBe(true)
  })

  it('lists a new root, and forgets a removed one everywhere', () => {
    const there = applyFrames({ ...INITIAL_STATE, open: root }, [added('root'), title('x', 1)])
    expect(there.summaries.has(root)).toBe(true)

    const gone = applyFrames(there, [{ kind: 'removed', sessionId: root }])

    expect(gone.summaries.has(root)).toBe(false)
    expect(gone.live.has(root)).toBe(false)
    expect(gone.open).toBeNull()
  })

  it('marks a completion as unseen unless it is looked at, and the next turn takes the mark away', () => {
    const outcome = (kind: string, seq: number): Frame => ({
      kind: 'projection',
      sessionId: root,
      key: 'outcome',
      value: { kind },
      seq,
    })
    const done = [outcome('running', 1), outcome('completed', 2)]
    expect(applyFrames(INITIAL_STATE, done).unseen.has(root)).toBe(true)
    expect(applyFrames({ ...INITIAL_STATE, open: root }, done).unseen.has(root)).toBe(false)
    expect(applyFrames(INITIAL_STATE, [...done, outcome('running', 3)]).unseen.has(root)).toBe(false)
  })

  it('gives events to open sessions only', () => {
    const events: Frame = {
      kind: 'events',
      sessionId: root,
      events: [{ seq: 0, time: 1, type: 'turn/start', data: {} }],
    }
    expect(applyFrames(INITIAL_STATE, [events])).toEqual(INITIAL_STATE)
    const open = {
      ...INITIAL_STATE,
      transcripts: new Map([[root, { ...EMPTY_TRANSCRIPT, status: { kind: 'ready' as const } }]]),
    }
    expect(applyFrames(open, [events]).transcripts.get(root)?.events).toHaveLength(1)
  })

  it('raises a banner and takes it down', () => {
    const banner: Frame = { kind: 'banner', id: 'saving', banner: { level: 'alert', text: 'Not saved yet' } }
    const raised = applyFrames(INITIAL_STATE, [banner])
    expect(raised.banners.get('saving')?.text).toBe('Not saved yet')
    expect(applyFrames(raised, [{ kind: 'banner', id: 'saving', banner: null }]).banners.size).toBe(0)
  })
})
