// @vitest-environment jsdom
import { act, useMemo } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { childId, largeState, rootId } from '../../gallery/large-state.ts'
import type { App } from '../../store/app.ts'
import { AppProvider } from '../../store/app-context.tsx'
import { applyFrames } from '../../store/apply-frames.ts'
import { createWorkbenchStore, type Store } from '../../store/state.ts'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { isTreeRow, type Row } from './row.ts'
import { TreeView } from './session-tree.tsx'
import { useRows } from './use-rows.ts'

const VIEW_HEIGHT = 900

let root: Root
let store: Store
let renders: Map<string, number>

beforeEach(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, ResizeObserver: NoResize })
  // jsdom lays nothing out: the list is as high as a window.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: VIEW_HEIGHT })
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, value: 356 })
  document.body.innerHTML = '<div></div>'
  renders = new Map()
  store = createWorkbenchStore({
    ...largeState({ roots: 5000, children: 50_000, widest: 10_000 }),
    epoch: 1,
    expanded: new Set([rootId(0)]),
  })
  root = createRoot(document.body.firstElementChild!)
  await act(() =>
    root.render(
      <TooltipProvider>
        <AppProvider app={{ store } as App}>
          <CountedTree />
        </AppProvider>
      </TooltipProvider>,
    ),
  )
  renders.clear()
})

afterEach(async () => {
  await act(() => root.unmount())
})

class NoResize {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** The sidebar's tree, over row objects that count how often they are rendered. */
function CountedTree() {
  const rows = useRows()
  const counted = useMemo(() => rows.map(countedRow), [rows])
  return <TreeView rows={counted} label="Sessions" busy={false} expand={nothing} />
}

const nothing = () => {}
const twins = new WeakMap<Row, Row>()

function countedRow(row: Row): Row {
  if (!isTreeRow(row)) return row
  const held = twins.get(row)
  if (held !== undefined) return held
  const { position } = row
  const twin = Object.defineProperty({ ...row }, 'position', {
    enumerable: true,
    get: () => {
      renders.set(row.key, (renders.get(row.key) ?? 0) + 1)
      return position
    },
  })
  twins.set(row, twin)
  return twin
}

const told = (...frames: readonly Frame[]) =>
  act(() => store.setState(state => applyFrames(state, frames), true))
const of = (sessionId: SessionId, key: string, value: JsonValue, seq: number): Frame => ({
  kind: 'projection',
  sessionId,
  key,
  value,
  seq,
})
type JsonValue = Extract<Frame, { kind: 'projection' }>['value']
const rowOf = (id: string) => document.querySelector(`[data-row="${id}"]`)

describe('the tree of 5,000 sessions and 50,000 children', () => {
  it('mounts no more than 100 rows', () => {
    expect(document.querySelectorAll('[role=treeitem]').length).toBeGreaterThan(20)
    expect(document.querySelectorAll('[role=treeitem]').length).toBeLessThanOrEqual(100)
  })

  it('renders one row for one frame, once, and nothing for what is out of view', async () => {
    const usage = (tokens: number) => ({
      own: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null },
      inherited: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null },
    })
    await told(of(childId(3), 'usage', usage(50_000), 1))
    expect([...renders]).toEqual([[childId(3), 1]])
    expect(rowOf(childId(3))?.textContent).toContain('50')

    renders.clear()
    await told(of(childId(9000), 'usage', usage(7), 1), of(childId(30_000), 'usage', usage(7), 1))
    expect([...renders]).toEqual([])
  })

  it('renders each row that a batch is about once, however many frames it brought', async () => {
    await told(
      { kind: 'activity', sessionId: childId(3), activity: 'running' },
      of(childId(3), 'outcome', { kind: 'running' }, 1),
      of(childId(3), 'doing', { kind: 'thinking', since: 5 }, 1),
      of(childId(3), 'subagentTiming', { settledMs: 0, runningSince: 5, through: null }, 1),
    )
    // Its second line moves the rows below it down: they move, and are not rendered again.
    expect([...renders]).toEqual([[childId(3), 1]])
    expect(rowOf(childId(3))?.getAttribute('aria-label')).toBe('Look into part 3, one-shot, running')
    renders.clear()
    await told(
      of(childId(3), 'doing', { kind: 'tool', verb: 'Read', target: 'a.ts', since: 6 }, 2),
      of(childId(3), 'doing', { kind: 'tool', verb: 'Read', target: 'b.ts', since: 7 }, 3),
    )
    expect([...renders]).toEqual([[childId(3), 1]])
    expect(rowOf(childId(3))?.textContent).toContain('b.ts')
  })
})
