import { describe, expect, it, vi } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { childId, rootId } from '../gallery/large-state.ts'
import { setExpanded } from './actions.ts'
import type { App } from './app.ts'
import { applyFrames } from './apply-frames.ts'
import type { Client } from './client.ts'
import { createChildLoader } from './load-children.ts'
import { viewOf } from './session-view.ts'
import { createWorkbenchStore, type State } from './state.ts'

/*
 * Behaviour §8.15, RT, "manager": each line of it is a test here or in `load-sessions.test.ts`, but
 * - "buffering": frames are applied as they come and win over the older answer, so nothing has to be kept back;
 * - "50 ms debounce": 80 ms here, and longer for a parent whose listing takes longer (a beat);
 * - "removal invalidates availability": there is no `parentAvailable`, a parent that is gone is gone with its list.
 */

const root = rootId(0)
const one = childId(1)
const two = childId(2)
const child = (id: SessionId, more: object = {}): SubagentListEntry =>
  ({
    kind: 'child',
    id,
    activity: 'inactive',
    hasChildren: false,
    mode: 'one-shot',
    label: id,
    ...more,
  }) as SubagentListEntry

interface Call {
  readonly parentId: SessionId
  readonly signal: AbortSignal
  answer(entries: readonly SubagentListEntry[]): Promise<void>
  fail(code: string): Promise<void>
}

function bench(initial: Partial<State> = {}) {
  const calls: Call[] = []
  const children = ({ parentId }: { parentId: SessionId }, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const after = async (work: () => void) => {
        work()
        await new Promise(done => setTimeout(done))
      }
      calls.push({
        parentId,
        signal,
        answer: entries => after(() => resolve({ entries })),
        fail: code => after(() => reject(Object.assign(new Error('no'), { code }))),
      })
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const store = createWorkbenchStore({ epoch: 1, ...initial })
  const loader = createChildLoader({ store, client: { subagents: { children } } as unknown as Client })
  const told = (...frames: readonly unknown[]) => store.setState(state => applyFrames(state, frames), true)
  const callOf = (index: number): Call => {
    const call = calls[index]
    if (call === undefined) throw new Error(`there is no call ${index}`)
    return call
  }
  const rows = () => {
    const list = store.getState().lists.get(root)
    return list?.status === 'ready' ? list.entries.map(({ id }) => id) : (list?.status ?? 'unknown')
  }
  return { store, loader, calls, callOf, told, rows, settle: () => new Promise(done => setTimeout(done)) }
}

const summary = {
  header: { version: 1 as const, id: root, createdAt: 1 },
  title: 'Root',
  activity: 'inactive' as const,
  hasChildren: true,
  archived: false,
  facts: {},
  rollup: { running: 0, waiting: 0 },
}
const added = (id: SessionId) => ({
  kind: 'added',
  header: { version: 1, id, createdAt: 5, origin: 'subagent', parentSession: root },
})

describe('listing children', () => {
  it('is one call however often it is asked for, and one more for those who asked meanwhile', async () => {
    const { loader, calls, callOf, settle } = bench()
    void loader.load(root)
    void loader.load(root)
    void loader.load(root)
    await settle()
    expect(calls).toHaveLength(1)

    await callOf(0).answer([])
    expect(calls).toHaveLength(2)
    await callOf(1).answer([])
    expect(calls).toHaveLength(2)
  })

  it('says that it is being read for as long as it takes, never that there are none', async () => {
    const { loader, callOf, rows, settle } = bench()
    void loader.load(root)
    await settle()
    expect(rows()).toBe('loading')
    await callOf(0).answer([child(one)])
    expect(rows()).toEqual([one])
  })

  it('keeps the rows while they are read again, and when that fails, with the reason and a way on', async () => {
    const { loader, callOf, rows, store, settle } = bench()
    void loader.load(root)
    await settle()
    await callOf(0).answer([child(one)])

    void loader.load(root)
    await settle()
    expect(rows()).toEqual([one])
    await callOf(1).fail('STORE_UNAVAILABLE')

    expect(rows()).toEqual([one])
    expect(store.getState().lists.get(root)).toMatchObject({ failure: { code: 'STORE_UNAVAILABLE' } })
    void loader.load(root)
    await settle()
    await callOf(2).answer([child(one)])
    expect(store.getState().lists.get(root)).toMatchObject({ failure: null })
  })

  it('says that a first reading failed, and that it is read when it is tried again', async () => {
    const { loader, callOf, rows, settle } = bench()
    void loader.load(root)
    await settle()
    await callOf(0).fail('STORE_UNAVAILABLE')
    expect(rows()).toBe('failed')
    void loader.load(root)
    expect(rows()).toBe('loading')
  })

  it('reads again, once, when children were added while it was read', async () => {
    const { loader, calls, callOf, told, settle } = bench()
    void loader.load(root)
    await settle()
    told(added(one))
    loader.refreshStale()
    told(added(two))
    loader.refreshStale()
    await callOf(0).answer([])

    await vi.waitFor(() => expect(calls).toHaveLength(2))
    await callOf(1).answer([child(one), child(two)])
    await new Promise(done => setTimeout(done, 150))
    expect(calls).toHaveLength(2)
  })

  it('lets an older answer take nothing from newer frames: status, children of its own, label', async () => {
    const { loader, callOf, told, store, settle } = bench()
    void loader.load(root)
    await settle()
    told(
      { kind: 'activity', sessionId: one, activity: 'running' },
      { kind: 'projection', sessionId: one, key: 'outcome', value: { kind: 'running' }, seq: 4 },
      {
        kind: 'projection',
        sessionId: one,
        key: 'subagent',
        value: { mode: 'one-shot', label: 'Told', seq: 3 },
        seq: 3,
      },
      {
        kind: 'added',
        header: { version: 1, id: two, createdAt: 5, origin: 'subagent', parentSession: one },
      },
    )

    await callOf(0).answer([child(one, { label: 'Listed', facts: { outcome: { kind: 'completed' } } })])

    expect(viewOf(store.getState(), one)).toMatchObject({
      label: 'Told',
      activity: 'running',
      status: { state: 'running' },
      hasChildren: true,
    })
  })

  it('takes over from frames of an earlier subscription', async () => {
    const { loader, callOf, told, store, settle } = bench()
    told({ kind: 'activity', sessionId: one, activity: 'running' })
    store.setState({ epoch: 2 })
    void loader.load(root)
    await settle()
    await callOf(0).answer([child(one)])
    expect(viewOf(store.getState(), one)).toMatchObject({ activity: 'inactive' })
  })

  it('does not bring back a parent that was removed while it was read, nor its children', async () => {
    const { loader, callOf, told, rows, store, settle } = bench({ summaries: new Map([[root, summary]]) })
    void loader.load(root)
    await settle()
    told({ kind: 'removed', sessionId: root })
    await callOf(0).answer([child(one)])
    expect(rows()).toBe('unknown')
    expect(store.getState().entries.size).toBe(0)
  })

  it('does not bring back a child that was removed while it was read again', async () => {
    const { loader, callOf, told, rows, settle } = bench()
    void loader.load(root)
    await settle()
    await callOf(0).answer([child(one), child(two)])
    void loader.load(root)
    await settle()
    told({ kind: 'removed', sessionId: one })
    await callOf(1).answer([child(one), child(two)])
    expect(rows()).toEqual([two])
  })

  it('keeps the object of every row that says the same, and the list when all do', async () => {
    const { loader, callOf, store, settle } = bench()
    void loader.load(root)
    await settle()
    await callOf(0).answer([child(one), child(two)])
    const before = store.getState()

    void loader.load(root)
    await settle()
    await callOf(1).answer([child(one), child(two)])
    expect(store.getState().lists).toBe(before.lists)
    expect(store.getState().entries).toBe(before.entries)

    void loader.load(root)
    await settle()
    await callOf(2).answer([child(one), child(two, { hasChildren: true })])
    expect(store.getState().entries.get(one)).toBe(before.entries.get(one))
    expect(store.getState().entries.get(two)).not.toBe(before.entries.get(two))
  })

  it('is given up when its parent is closed, and read anew when that is opened again', async () => {
    const { loader, callOf, calls, rows, store, settle } = bench()
    const app = { store, children: loader } as unknown as App
    setExpanded(app, root, true)
    await settle()

    setExpanded(app, root, false)
    expect(callOf(0).signal.aborted).toBe(true)
    expect(rows()).toBe('unknown')

    setExpanded(app, root, true)
    await settle()
    expect(calls).toHaveLength(2)
    await callOf(1).answer([child(one)])
    expect(rows()).toEqual([one])
  })

  it('goes on when a parent is closed whose rows are there already', async () => {
    const { loader, callOf, rows, store, settle } = bench()
    const app = { store, children: loader } as unknown as App
    void loader.load(root)
    await settle()
    await callOf(0).answer([child(one)])
    void loader.load(root)
    await settle()

    setExpanded(app, root, false)

    await callOf(1).answer([child(two)])
    expect(rows()).toEqual([two])
  })

  it('asks the host for six at a time, and for the last one opened first', async () => {
    const { loader, calls, callOf, settle } = bench()
    for (let index = 0; index < 9; index += 1) void loader.load(rootId(index))
    await settle()
    expect(calls.map(({ parentId }) => parentId)).toEqual([0, 1, 2, 3, 4, 5].map(rootId))

    await callOf(0).answer([])
    await callOf(3).fail('STORE_UNAVAILABLE')

    expect(calls.slice(6).map(({ parentId }) => parentId)).toEqual([rootId(8), rootId(7)])
  })

  it('reads every list again after a reconnect, with the rows in place', async () => {
    const { loader, callOf, calls, rows, settle } = bench()
    void loader.load(root)
    await settle()
    await callOf(0).answer([child(one)])
    loader.refreshAll()
    await settle()
    expect(calls).toHaveLength(2)
    expect(rows()).toEqual([one])
  })
})
