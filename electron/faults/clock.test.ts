import { afterEach, describe, expect, it, vi } from 'vitest'
import { listChildren } from '../subagent/catalog/list-children.ts'
import { delegatesOnce, eventsOf, isChild, openTestTree } from '../tree-fixture.ts'
import { closeAfterEach } from './fixtures/cleanup.ts'
import { pause, watchBanner, within } from './fixtures/fault-bench.ts'

/*
 * The clock on the wall is set by hours while agents work (P126). Only `Date` is moved: timers are the real ones,
 * as they are when a person or a time server sets a clock.
 */

const HOUR = 3_600_000
const atEnd = closeAfterEach()
afterEach(() => void vi.useRealTimers())

function setClock(by: number): void {
  vi.setSystemTime(Date.now() + by)
}

async function tree(jumps: readonly number[]) {
  const left = [...jumps]
  const jump = () => setClock(left.shift() ?? 0)
  const one = await openTestTree(
    {
      root: request => {
        jump()
        return delegatesOnce({ mode: 'continuable', background: false })(request)
      },
      child: ({ prompt }) => {
        jump()
        return prompt.at(-1)?.role === 'tool'
          ? 'Done.'
          : { calls: [{ name: 'read', input: { path: 'a.txt' } }] }
      },
    },
    { now: () => Date.now() },
  )
  atEnd(one.dispose)
  return one
}

describe.each([
  ['back', [-2 * HOUR, -HOUR, -HOUR, -3 * HOUR]],
  ['forward', [2 * HOUR, 26 * HOUR, HOUR, 3 * HOUR]],
  ['to and fro', [-2 * HOUR, 5 * HOUR, -9 * HOUR, 24 * HOUR]],
])('a clock that is set %s in the middle of work', (_how, jumps) => {
  it('changes neither the order nor the outcome, and makes no time negative', async () => {
    const one = await tree(jumps)
    const window = watchBanner(one)
    atEnd(window.close)
    const root = await one.root()
    const started = performance.now()
    await one.prompt(root, 'Go')
    expect(performance.now() - started).toBeLessThan(4000)

    const [child] = await listChildren(one.workbench.catalog, root, { with: ['facts'] })
    expect(child).toMatchObject({ kind: 'child', facts: { outcome: { kind: 'completed' } } })
    for (const id of [root, child!.id]) {
      const log = await one.log(id)
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index))
      expect(log.every(({ time }) => Number.isFinite(time))).toBe(true)
      for (const { data } of eventsOf(log, 'tool/result')) expect(data.durationMs).toBeGreaterThanOrEqual(0)
      expect(await one.outcome(id)).toMatchObject({ kind: 'completed' })
      const { values } = await one.workbench.store.checkpoints.snapshot(id)
      expect(values['subagentTiming']).toMatchObject({ runningSince: null })
      expect((values['subagentTiming'] as { settledMs: number }).settledMs).toBeGreaterThanOrEqual(0)
    }
    expect(window.told).toEqual([])
    expect(await one.workbench.store.persistence.check()).toEqual([])
  })

  it('still has everything saved within its window, and a checkpoint at the end of the turn', async () => {
    const one = await tree([])
    const { live, store } = one.workbench
    const root = await one.root()
    await one.prompt(root, 'Go')

    for (const by of jumps) {
      setClock(by)
      const session = live.get(root)!
      session.append({ type: 'session/title', data: { title: String(by), source: 'person' } })
      const appended = performance.now()
      await within(1000, () => session.savedSeq === session.nextSeq)
      expect(performance.now() - appended).toBeLessThan(1000)
    }
    setClock(-HOUR)
    await one.prompt(root, 'Again')
    await within(2000, async () => {
      const [row] = await store.checkpoints.read([root], ['turns', 'title'])
      return row?.asOfSeq === live.get(root)!.nextSeq - 1
    })
    const [row] = await store.checkpoints.read([root], ['title'])
    expect(row?.values['title']).toBe(String(jumps.at(-1)))
  })
})

it('a clock that is set while saving fails does not stop the tries, nor the waiting for them', async () => {
  const one = await tree([])
  const root = await one.root()
  const { live } = one.workbench
  for (const by of [-5 * HOUR, 30 * HOUR]) {
    let isFull = true
    const real = one.workbench.store.persistence.append
    Object.assign(one.workbench.store.persistence, {
      append: (batches: Parameters<typeof real>[0]) =>
        isFull ? Promise.reject(new Error('the disk is full')) : real(batches),
    })
    live.get(root)!.append({ type: 'session/title', data: { title: 'x', source: 'person' } })
    await within(10_000, () => live.trouble !== null)
    setClock(by)
    isFull = false
    await within(10_000, () => live.trouble === null)
    Object.assign(one.workbench.store.persistence, { append: real })
  }
  await pause(0)
  expect(await one.log(root)).toHaveLength(live.get(root)!.nextSeq)
})

it('a turn under way when the computer sleeps goes on: what runs out is measured without the clock', async () => {
  const one = await openTestTree(
    {
      root: request => {
        if (!isChild(request)) setClock(12 * HOUR)
        return { delayMs: 100, text: 'Still here.' }
      },
      child: () => 'Unused.',
    },
    { now: () => Date.now() },
  )
  atEnd(one.dispose)
  const root = await one.root()
  await one.prompt(root, 'Go')
  expect(await one.outcome(root)).toMatchObject({ kind: 'completed' })
})
