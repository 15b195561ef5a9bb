import { strict as assert } from 'node:assert'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import { type BenchResult, compare, runBench } from '../../electron/bench/lab.ts'
import type { Trial } from '../../electron/bench/measure.ts'
import { servePage } from '../conversation-page/serve.ts'
import type { SidebarControls } from '../sidebar-page/page.tsx'
import { chromiumOptions } from '../support/chromium.ts'

declare global {
  interface Window {
    sidebar: SidebarControls
  }
}

/** Right also from where it is bundled to. */
const PAGE = fileURLToPath(new URL('../../e2e/sidebar-page/', import.meta.url))
const FRAMES = 300
const ROUNDS = 3
const MOST_ROWS = 100

await runBench(import.meta.url, { benchmarks: { 'ui/scroll': scroll }, trials: {} })

/** Ten thousand rows under one of 5,000 sessions are scrolled through: `ms` from one frame to the next. */
async function* scroll(): AsyncIterable<BenchResult> {
  const site = await servePage(PAGE)
  const browser = await chromium.launch(chromiumOptions())
  try {
    const page = await browser.newPage({ viewport: { width: 700, height: 900 } })
    await page.goto(site.url)
    await openWidest(page)
    const trialsOf = async (pixels: number, streaming: number) => {
      const trials: Trial[] = []
      for (let round = 0; round < ROUNDS; round += 1) trials.push(await frames(page, pixels, streaming))
      return trials
    }
    const limits = await trialsOf(0, 0)
    const what = 'frames of the same page at rest'
    for (const streaming of [0, 50]) {
      for (const pixels of [0, 120, 600]) {
        if (pixels === 0 && streaming === 0) continue
        const sizes = { roots: 5000, children: 50_000, rows: 10_000, streaming, pixels }
        const trials = await trialsOf(pixels, streaming)
        yield compare({ name: 'ui/scroll', sizes, trials, what, limits, run: 'later' })
      }
    }
  } finally {
    await browser.close()
    await site.close()
  }
}

async function openWidest(page: Page): Promise<void> {
  await page.getByRole('treeitem', { name: /^Session 0 of many/ }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('treeitem', { name: /^Look into part 0,/ }).waitFor()
}

/** `stallMs`: the longest task of the page. `rssMiB`: what its scripts hold. */
async function frames(page: Page, pixels: number, streaming: number): Promise<Trial> {
  const seen = await page.evaluate(watchFrames, { pixels, streaming, frames: FRAMES })
  assert.ok(seen.rows > 0 && seen.rows <= MOST_ROWS, `${seen.rows} rows were mounted`)
  const { ms, stallMs, heapMiB } = seen
  return { ms, stallMs, rssMiB: heapMiB }
}

interface Watched {
  readonly pixels: number
  readonly streaming: number
  readonly frames: number
}

async function watchFrames({ pixels, streaming, frames: wanted }: Watched) {
  const box = document.querySelector('[role=tree]')?.parentElement?.parentElement
  if (box === null || box === undefined) throw new Error('there is no tree')
  const longTasks: number[] = []
  const watcher = new PerformanceObserver(list =>
    longTasks.push(...list.getEntries().map(one => one.duration)),
  )
  watcher.observe({ entryTypes: ['longtask'] })
  const stop = streaming === 0 ? () => {} : window.sidebar.stream(streaming)
  const nextFrame = () => new Promise<number>(resolve => requestAnimationFrame(resolve))
  const ms: number[] = []
  let rows = 0
  box.scrollTop = 0
  let last = await nextFrame()
  for (let frame = 0; frame < wanted; frame += 1) {
    box.scrollTop = (frame * pixels) % (box.scrollHeight - box.clientHeight)
    const now = await nextFrame()
    ms.push(now - last)
    last = now
    rows = Math.max(rows, document.querySelectorAll('[role=treeitem]').length)
  }
  stop()
  await new Promise(resolve => setTimeout(resolve, 200))
  watcher.disconnect()
  const { memory } = performance as unknown as { readonly memory?: { readonly usedJSHeapSize: number } }
  return { ms, rows, stallMs: Math.max(0, ...longTasks), heapMiB: (memory?.usedJSHeapSize ?? 0) / 2 ** 20 }
}
