// @vitest-environment jsdom
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { childId, largeState, rootId } from '../../gallery/large-state.ts'
import type { App } from '../../store/app.ts'
import { AppProvider } from '../../store/app-context.tsx'
import { applyFrames } from '../../store/apply-frames.ts'
import { createWorkbenchStore, type State, type Store } from '../../store/state.ts'
import { withEntries } from '../../store/with-entries.ts'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { SessionTree } from './session-tree.tsx'

/*
 * Behaviour §8.15, UI, as far as it is about rows. Those of the study are entries of a menu; here they are rows of the
 * sidebar (workbench §2). Not here, on purpose:
 * - "no disclosure column when branchless": the column stays, so that the marks of all rows stand at one x;
 * - "keyboard traversal incl. wrap": the keys stop at both ends, as the ARIA practices have it (`tree-keys.test.ts`);
 * - "149/150 ms", "119/120 ms", "hidden trigger", "click on trigger does not open": nothing opens on hover;
 * - "diagnostics" are neither disabled nor left out of counts: they can be focused, opened and retried (a beat);
 * - "bare loading hidden": what is being read is said to be, never shown as absent;
 * - the switcher, the crumbs and the read-only notices are the titlebar's and the composer's.
 */

const NOW = 1_900_000_000_000
const PARENT = rootId(0)

let root: Root
let store: Store
let loaded: SessionId[]

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
  Object.assign(globalThis, {
    IS_REACT_ACT_ENVIRONMENT: true,
    ResizeObserver: NoResize,
    CSS: { escape: String },
  })
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 900 })
  document.body.innerHTML = '<div></div>'
  root = createRoot(document.body.firstElementChild!)
  loaded = []
})

afterEach(async () => {
  await act(() => root.unmount())
  vi.useRealTimers()
})

class NoResize {
  observe() {}
  unobserve() {}
  disconnect() {}
}

const child = (index: number, more: object = {}): SubagentListEntry =>
  ({
    kind: 'child',
    id: childId(index),
    activity: 'inactive',
    hasChildren: false,
    mode: 'one-shot',
    label: `Child ${index}`,
    ...more,
  }) as SubagentListEntry

async function shown(entries: readonly SubagentListEntry[], more: Partial<State> = {}): Promise<void> {
  const start = largeState({ roots: 1, children: 1, widest: 1 })
  const expanded = new Set([PARENT])
  store = createWorkbenchStore({ ...withEntries(start, PARENT, entries, start), expanded, ...more })
  const children = { load: async (id: SessionId) => void loaded.push(id), giveUp: () => {} }
  await act(() =>
    root.render(
      <TooltipProvider>
        <AppProvider app={{ store, children } as unknown as App}>
          <SessionTree />
        </AppProvider>
      </TooltipProvider>,
    ),
  )
}

const told = (...frames: readonly Frame[]) =>
  act(() => store.setState(state => applyFrames(state, frames), true))
const rowOf = (id: string) => document.querySelector<HTMLElement>(`[data-row="${id}"]`)!
const nameOf = (id: string) => rowOf(id).getAttribute('aria-label')
const timeOf = (id: string) => rowOf(id).querySelector('.time')?.textContent
async function press(id: string, key: string): Promise<void> {
  await act(() => rowOf(id).focus())
  await act(() => {
    rowOf(id).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  })
}

describe('a row', () => {
  it('is called by its label, and by its short id when it has none', async () => {
    await shown([child(1), child(2, { label: undefined })])
    expect(nameOf(childId(1))).toBe('Child 1, one-shot, ready')
    expect(nameOf(childId(2))).toBe(`${childId(2).slice(-8)}, one-shot, ready`)
    expect(rowOf(childId(2)).querySelector('.mono')?.textContent).toBe(childId(2).slice(-8))
  })

  it('says what is alive below it at any depth, one of it in the singular', async () => {
    await shown([child(1, { hasChildren: true })])
    const tell = (running: number, waiting: number) =>
      told({ kind: 'rollup', sessionId: childId(1), running, waiting })
    await tell(1, 0)
    expect(nameOf(childId(1))).toBe('Child 1, one-shot, ready, 1 descendant running')
    await tell(3, 0)
    expect(nameOf(childId(1))).toBe('Child 1, one-shot, ready, 3 descendants running')
    await tell(3, 1)
    expect(nameOf(childId(1))).toBe('Child 1, one-shot, ready, 1 descendant waiting for approval')
    await tell(0, 0)
    expect(nameOf(childId(1))).toBe('Child 1, one-shot, ready')
  })

  it('counts the children that its session waits for, one of them in the singular', async () => {
    await shown([child(1), child(2)])
    await told(
      { kind: 'activity', sessionId: PARENT, activity: 'running' },
      value(PARENT, 'outcome', { kind: 'waiting', on: 'children' }, 1),
      { kind: 'activity', sessionId: childId(1), activity: 'running' },
    )
    expect(rowOf(PARENT).textContent).toContain('Waits for 1 child')
    await told({ kind: 'activity', sessionId: childId(2), activity: 'running' })
    expect(rowOf(PARENT).textContent).toContain('Waits for 2 children')
  })

  it('lets its time run each second while it works, and freezes it when it is done', async () => {
    await shown([child(1)])
    await told(
      { kind: 'activity', sessionId: childId(1), activity: 'running' },
      value(childId(1), 'outcome', { kind: 'running' }, 1),
      value(childId(1), 'subagentTiming', { settledMs: 5000, runningSince: NOW, through: NOW }, 1),
    )
    expect(timeOf(childId(1))).toBe('5s')
    await act(() => vi.advanceTimersByTime(3000))
    expect(timeOf(childId(1))).toBe('8s')

    await told(
      value(childId(1), 'outcome', { kind: 'completed' }, 2),
      value(childId(1), 'subagentTiming', { settledMs: 8000, runningSince: null, through: NOW + 3000 }, 2),
    )
    await act(() => vi.advanceTimersByTime(60_000))
    expect(timeOf(childId(1))).toBe('8s')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends the time of a session that died in a turn where it was last seen', async () => {
    const timing = { settledMs: 1000, runningSince: NOW - 100_000 }
    await shown([child(1, { facts: { outcome: { kind: 'running' }, timing } })])
    await told(value(childId(1), 'subagentTiming', { ...timing, through: NOW - 90_000 }, 1))
    expect(timeOf(childId(1))).toBe('11s')
    expect(nameOf(childId(1))).toBe('Child 1, one-shot, interrupted')
  })

  it('shows tokens in three figures, and exactly on hover', async () => {
    await shown([child(1, { facts: { tokens: 1_234_567 } })])
    const tokens = rowOf(childId(1)).querySelector('.tokens')
    expect(tokens?.textContent).toBe('1.2M')
    expect(tokens?.getAttribute('title')).toBe('1,234,567 tokens')
  })

  it('is peeked at with Space; Escape ends that, and the focus was never away', async () => {
    await shown([child(1)])
    await press(childId(1), ' ')
    expect(document.querySelector('[role=status][aria-label="About Child 1"]')).not.toBeNull()
    expect(document.activeElement).toBe(rowOf(childId(1)))
    await press(childId(1), 'Escape')
    expect(document.querySelector('[role=status][aria-label="About Child 1"]')).toBeNull()
    expect(document.activeElement).toBe(rowOf(childId(1)))
  })

  it('says that its children are being read until they are, and reads them on its first opening', async () => {
    await shown([child(1, { hasChildren: true })])
    await press(childId(1), 'ArrowRight')
    expect(loaded).toEqual([childId(1)])
    expect(document.body.textContent).toContain('Reading children…')
    await act(() => store.setState(state => withEntries(state, childId(1), [child(2)], state)))
    expect(document.body.textContent).not.toContain('Reading children…')
    expect(rowOf(childId(2)).getAttribute('aria-level')).toBe('3')
  })

  it('offers to read children again that could not be read, beside those that are known', async () => {
    const failure = { code: 'STORE_UNAVAILABLE' as const, detail: 'disk', incident: null }
    await shown([child(1)])
    await act(() =>
      store.setState(({ lists }) => ({
        lists: new Map(lists).set(PARENT, { status: 'ready', entries: [child(1)], failure }),
      })),
    )
    expect(rowOf(childId(1))).not.toBeNull()
    await act(() => rowOf(`failed:${PARENT}`).click())
    expect(loaded).toEqual([PARENT])
  })

  it('has nothing to open once its last child is gone', async () => {
    await shown([child(1)])
    expect(rowOf(PARENT).getAttribute('aria-expanded')).toBe('true')
    await act(() => store.setState(state => withEntries(state, PARENT, [], state)))
    expect(rowOf(PARENT).hasAttribute('aria-expanded')).toBe(false)
  })
})

type Json = Extract<Frame, { kind: 'projection' }>['value']

function value(sessionId: SessionId, key: string, one: Json, seq: number): Frame {
  return { kind: 'projection', sessionId, key, value: one, seq }
}
