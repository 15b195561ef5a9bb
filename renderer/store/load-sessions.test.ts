import { describe, expect, it } from 'vitest'
import type { SessionSummary } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { childId, rootId } from '../gallery/large-state.ts'
import { revealRow } from './actions.ts'
import type { App } from './app.ts'
import { applyFrames } from './apply-frames.ts'
import type { Client } from './client.ts'
import { createSessionLoader, withRoots } from './load-sessions.ts'
import { createWorkbenchStore, INITIAL_STATE, type State } from './state.ts'

/* Behaviour §8.15, RT: see `load-children.test.ts` for what is not here. */

const one = rootId(1)
const two = rootId(2)
const summary = (id: SessionId, more: Partial<SessionSummary> = {}): SessionSummary => ({
  header: { version: 1, id, createdAt: 1 },
  title: id,
  activity: 'inactive',
  hasChildren: false,
  archived: false,
  facts: {},
  rollup: { running: 0, waiting: 0 },
  ...more,
})
const started: State = { ...INITIAL_STATE, epoch: 1 }
const idsOf = (state: State) => [...state.summaries.keys()]

describe('a list of roots', () => {
  it('leaves out what is gone, and keeps the objects of those that say the same', () => {
    const before = withRoots(started, [summary(one), summary(two)], [], started)
    const after = withRoots(before, [summary(one)], [], before)
    expect(idsOf(after)).toEqual([one])
    expect(after.summaries.get(one)).toBe(before.summaries.get(one))
    expect(withRoots(after, [summary(one)], [], after).summaries).toBe(after.summaries)
  })

  it('keeps a root that came while it was read, and does not bring back one that went', () => {
    const asked = withRoots(started, [summary(one)], [], started)
    const meanwhile = applyFrames(asked, [
      { kind: 'added', header: { version: 1, id: two, createdAt: 2 } },
      { kind: 'removed', sessionId: one },
    ])
    expect(idsOf(withRoots(meanwhile, [summary(one)], [], asked))).toEqual([two])
  })

  it('says nothing against frames of this subscription, and ends what an earlier one said', () => {
    const running = { kind: 'activity', sessionId: one, activity: 'running' }
    const asked = applyFrames(started, [running])
    expect(withRoots(asked, [summary(one)], [], asked).live.get(one)?.activity).toBe('running')
    const later = { ...asked, epoch: 2 }
    expect(withRoots(later, [summary(one)], [], later).live.has(one)).toBe(false)
  })
})

function bench() {
  const answers: ((sessions: readonly SessionSummary[]) => void)[] = []
  const details: ((error: unknown) => void)[] = []
  const client = {
    sessions: {
      list: () => new Promise(resolve => answers.push(sessions => resolve({ sessions, unreadable: [] }))),
      get: () =>
        new Promise((resolve, reject) =>
          details.push(value => (value instanceof Error ? reject(value) : resolve(value))),
        ),
    },
  }
  const store = createWorkbenchStore(started)
  return {
    answers,
    details,
    store,
    loader: createSessionLoader({ store, client: client as unknown as Client }),
  }
}

const detail = (id: SessionId, lineage: readonly SessionId[]) => ({
  header: { version: 1, id, createdAt: 1 },
  lineage: lineage.map(step => ({ id: step, label: step })),
})

describe('reading roots', () => {
  it('is one call at a time, and one more for those who asked meanwhile: an older answer never comes last', async () => {
    const { answers, store, loader } = bench()
    const first = loader.refreshRoots()
    const second = loader.refreshRoots()
    const third = loader.refreshRoots()
    expect(answers).toHaveLength(1)

    answers[0]?.([summary(one)])
    await first
    await new Promise(done => setTimeout(done))
    expect(answers).toHaveLength(2)

    answers[1]?.([summary(two)])
    await Promise.all([second, third])
    expect(idsOf(store.getState())).toEqual([two])
    expect(answers).toHaveLength(2)
  })
})

describe('reading a session', () => {
  it('makes its lineage known, so that the rows above it can be opened', async () => {
    const { details, store, loader } = bench()
    const middle = childId(1)
    const deep = childId(2)
    const loaded = loader.loadDetail(deep)
    details[0]?.(detail(deep, [one, middle, deep]))
    await loaded

    const asked: SessionId[] = []
    const children = { loadAll: (ids: readonly SessionId[]) => void asked.push(...ids) }
    revealRow({ store, children } as unknown as App, deep)

    expect(asked).toEqual([one, middle])
    expect([...store.getState().expanded]).toEqual([one, middle])
  })

  it('shows what was known while it is read again, then why it could not be', async () => {
    const { details, store, loader } = bench()
    const first = loader.loadDetail(one)
    details[0]?.(detail(one, [one]))
    await first
    const again = loader.loadDetail(one)
    expect(store.getState().details.get(one)?.status).toBe('ready')
    details[1]?.(Object.assign(new Error('gone'), { code: 'SESSION_NOT_FOUND' }))
    await again
    expect(store.getState().details.get(one)).toMatchObject({
      status: 'failed',
      failure: { code: 'SESSION_NOT_FOUND' },
    })
  })
})
