import { fileURLToPath } from 'node:url'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import { type ServedPage, servePage } from './conversation-page/serve.ts'
import type { SidebarControls } from './sidebar-page/page.tsx'

// The real sidebar over the real store in a real browser, with 5,000 sessions and 50,000 children: what scrolls, is
// focused and is announced behaves only there. Times are measured by `npm run bench -- --only ui/scroll`.

declare global {
  interface Window {
    sidebar: SidebarControls
    most?: number
  }
}

let site: ServedPage
test.beforeAll(async () => {
  test.setTimeout(180_000)
  site = await servePage(fileURLToPath(new URL('./sidebar-page/', import.meta.url)))
})
test.afterAll(async () => {
  await site.close()
})

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 900 })
  await page.goto(site.url)
  await expect(tree(page).getByRole('treeitem').first()).toBeVisible()
})

const tree = (page: Page) => page.getByRole('tree', { name: 'Sessions' })
const row = (page: Page, name: string | RegExp) => tree(page).getByRole('treeitem', { name })
const first = (page: Page) => row(page, /^Session 0 of many/)
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.split(',')[0] ?? null)

/** Opens the ten thousand children of the first session, and leaves the focus on it. */
async function openWidest(page: Page): Promise<void> {
  await first(page).focus()
  await page.keyboard.press('ArrowRight')
  await expect(row(page, /^Look into part 0,/)).toBeVisible()
}

test('the tree tells where each row stands among all, however few are mounted', async ({ page }) => {
  await openWidest(page)
  await expect(first(page)).toHaveAttribute('aria-level', '1')
  await expect(first(page)).toHaveAttribute('aria-expanded', 'true')
  const child = row(page, /^Look into part 0,/)
  await expect(child).toHaveAttribute('aria-level', '2')
  await expect(child).toHaveAttribute('aria-posinset', '1')
  await expect(child).toHaveAttribute('aria-setsize', '10000')
  await expect(child).not.toHaveAttribute('aria-expanded')
  await expect(tree(page).locator('[role=treeitem][tabindex="0"]')).toHaveCount(1)
  const { violations } = await new AxeBuilder({ page }).include('aside').analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
})

test('no more than 100 rows are mounted wherever it is scrolled, while 50 sessions stream', async ({
  page,
}) => {
  await openWidest(page)
  await page.evaluate(async () => {
    const stop = window.sidebar.stream(50)
    const box = document.querySelector('[role=tree]')?.parentElement?.parentElement
    if (box === null || box === undefined) throw new Error('there is no tree')
    let most = 0
    for (let step = 0; step < 150; step += 1) {
      box.scrollTop = (step / 150) * box.scrollHeight
      await new Promise(resolve => requestAnimationFrame(resolve))
      most = Math.max(most, document.querySelectorAll('[role=treeitem]').length)
    }
    stop()
    window.most = most
  })
  const most = await page.evaluate(() => window.most ?? 0)
  expect(most).toBeGreaterThan(20)
  expect(most).toBeLessThanOrEqual(100)
})

test('the focus stays on its session while rows move, come and go under it', async ({ page }) => {
  await openWidest(page)
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown')
  expect(await focused(page)).toBe('Look into part 4')

  // Its root starts to work: it goes up into another group, with everything below it.
  await page.evaluate(() => {
    const { tell, ids } = window.sidebar
    const sessionId = ids.root(0) as never
    tell(
      { kind: 'activity', sessionId, activity: 'running' },
      { kind: 'projection', sessionId, key: 'outcome', value: { kind: 'running' }, seq: 5 },
    )
  })
  await expect(
    tree(page)
      .locator('..')
      .getByRole('button', { name: /^Working/ }),
  ).toBeVisible()
  expect(await focused(page)).toBe('Look into part 4')

  // What is focused goes: the focus is on what took its place.
  await page.evaluate(() => {
    const { app, ids } = window.sidebar
    app.store.setState(state => {
      const id = ids.root(0) as never
      const list = state.lists.get(id)
      if (list?.status !== 'ready') return state
      const entries = list.entries.filter(({ id: child }) => child !== ids.child(4))
      return { ...state, lists: new Map(state.lists).set(id, { ...list, entries }) }
    })
  })
  await expect.poll(() => focused(page)).toBe('Look into part 5')

  // Scrolled far away it is still where it was.
  await page.evaluate(() => {
    const box = document.querySelector('[role=tree]')?.parentElement?.parentElement
    if (box) box.scrollTop = 100_000
  })
  await page.waitForTimeout(200)
  expect(await focused(page)).toBe('Look into part 5')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focused(page)).toBe('Look into part 6')
  await expect(row(page, /^Look into part 6,/)).toBeInViewport()
})

test('the keys go through ten thousand rows', async ({ page }) => {
  await openWidest(page)
  const press = async (key: string, to: string) => {
    await page.keyboard.press(key)
    await expect.poll(() => focused(page)).toBe(to)
    await expect(page.locator(':focus')).toBeInViewport()
  }
  await press('ArrowRight', 'Look into part 0')
  await press('PageDown', await partAfterPage(page))
  await press('PageUp', 'Look into part 0')
  await press('ArrowLeft', 'Session 0 of many')
  await press('ArrowDown', 'Look into part 0')
  await page.keyboard.type('look into part 7777')
  await expect.poll(() => focused(page)).toBe('Look into part 7777')
  await expect(page.locator(':focus')).toBeInViewport()
  await page.keyboard.press('End')
  await expect.poll(() => focused(page)).not.toBe('Look into part 7777')
  await expect(page.locator(':focus')).toBeInViewport()
  await page.keyboard.press('Home')
  await press('ArrowDown', 'Session 0 of many')
  await page.keyboard.press('ArrowLeft')
  await expect(first(page)).toHaveAttribute('aria-expanded', 'false')
})

/** A page is as many rows as fit, less one. */
async function partAfterPage(page: Page): Promise<string> {
  const height = await tree(page).evaluate(element => element.parentElement?.parentElement?.clientHeight ?? 0)
  return `Look into part ${Math.floor(height / 28) - 1}`
}

test('a star opens every closed row beside the focused one', async ({ page }) => {
  await first(page).focus()
  await page.keyboard.press('*')
  await expect(row(page, /^Look into part 0,/)).toBeVisible()
  const closed = await page.evaluate(() => {
    const { app, ids } = window.sidebar
    const { expanded } = app.store.getState()
    // Those of its folder of which some are shown.
    return [0, 24, 48, 72, 96].filter(index => !expanded.has(ids.root(index) as never))
  })
  expect(closed).toEqual([])
})

test('a frame changes the row that it is about, and nothing else on the page', async ({ page }) => {
  await openWidest(page)
  await page.mouse.move(650, 500)
  const changed = await page.evaluate(async () => {
    const { tell, ids } = window.sidebar
    const touched = new Set<string>()
    const watcher = new MutationObserver(records => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement
        touched.add(
          element?.closest('[data-row]')?.getAttribute('data-row') ?? `outside: ${element?.className}`,
        )
      }
    })
    const tokens = { input: 123_456, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null }
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    for (const [index, seq] of [
      [3, 1],
      [9000, 1],
      [40_000, 1],
    ] as const) {
      tell({
        kind: 'projection',
        sessionId: ids.child(index) as never,
        key: 'usage',
        value: { own: tokens, inherited: tokens, model: null },
        seq,
      })
    }
    await new Promise(resolve => setTimeout(resolve, 200))
    watcher.disconnect()
    return { touched: [...touched], expected: ids.child(3) }
  })
  expect(changed.touched).toEqual([changed.expected])
})

test('a search finds among all of them, and what it leaves can be opened', async ({ page }) => {
  await page.getByRole('button', { name: 'Search sessions' }).click()
  const box = page.getByRole('searchbox', { name: 'Search sessions by title' })
  await box.fill('part 4321')
  await expect(tree(page).getByRole('treeitem')).toHaveCount(2 + 11)
  await box.fill('session 0 of')
  await expect(tree(page).getByRole('treeitem')).toHaveCount(1)
  await first(page).focus()
  await page.keyboard.press('ArrowRight')
  await expect(row(page, /^Look into part 0,/)).toBeVisible()
  await box.focus()
  await page.keyboard.press('Escape')
  await expect(box).toHaveCount(0)
})
