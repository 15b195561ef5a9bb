import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import type {} from '../renderer/gallery/window-gallery.ts'
import { serveGallery } from './support/gallery-server.ts'

let gallery: Awaited<ReturnType<typeof serveGallery>>

test.beforeAll(async () => {
  test.setTimeout(180_000)
  gallery = await serveGallery()
})
test.afterAll(() => gallery.close())

const violations = new WeakMap<Page, string[]>()

test.beforeEach(async ({ page }) => {
  const seen: string[] = []
  violations.set(page, seen)
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) seen.push(message.text())
  })
  page.on('pageerror', error => seen.push(String(error)))
})
test.afterEach(({ page }) => {
  expect(violations.get(page)).toEqual([])
})

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${gallery.url}?${query}`)
  await expect(page.getByRole('tree', { name: 'Sessions' })).toBeVisible()
}

const tree = (page: Page) => page.getByRole('tree', { name: 'Sessions' })
const row = (page: Page, name: string) => tree(page).getByRole('treeitem', { name, exact: true })
const focusedName = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  )

test('every state of a row is in its name', async ({ page }) => {
  await open(page, 'scene=mock')
  for (const name of [
    'Refactor the parser, session, running, 1 descendant waiting for approval',
    'Audit the parser, continuable, completed',
    '9f3c21ab, one-shot, failed',
    'Map spans to tokens, one-shot, running',
    'Update grammar docs, continuable, interrupted',
    'Port fixture tests, continuable, stopped',
    'Fuzz the new parser, one-shot, queued',
    'Record damaged, c41d70e2, descriptor missing',
    'Why is CI slow on Windows, session, ready',
    'Drop the legacy AST, session, failed',
  ]) {
    await expect(row(page, name)).toBeVisible()
  }
  await expect(row(page, 'Check error recovery, continuable, waiting for approval')).toHaveCount(2)
})

test('a row says where it stands', async ({ page }) => {
  await open(page, 'scene=mock')
  const failed = row(page, '9f3c21ab, one-shot, failed')
  await expect(failed).toHaveAttribute('aria-level', '3')
  await expect(failed).toHaveAttribute('aria-posinset', '2')
  await expect(failed).toHaveAttribute('aria-setsize', '3')
  const root = row(page, 'Refactor the parser, session, running, 1 descendant waiting for approval')
  await expect(root).toHaveAttribute('aria-expanded', 'true')
  await expect(root).toHaveAttribute('aria-selected', 'true')
  await expect(failed).not.toHaveAttribute('aria-expanded')
})

test('all marks stand at one x, whatever the depth', async ({ page }) => {
  await open(page, 'scene=mock')
  await expect(row(page, '9f3c21ab, one-shot, failed')).toBeVisible()
  const lefts = await tree(page)
    .getByRole('treeitem')
    .evaluateAll(rows =>
      rows.map(element => element.querySelector('[data-mark]')?.getBoundingClientRect().left),
    )
  expect(lefts.length).toBeGreaterThan(12)
  expect(new Set(lefts).size).toBe(1)
})

test('the tree is walked by keys alone', async ({ page }) => {
  await open(page, 'scene=mock&open=Speed up cold start')
  const root = row(page, 'Refactor the parser, session, running, 1 descendant waiting for approval')
  await row(page, 'Speed up cold start, session, running').focus()

  await page.keyboard.press('ArrowUp')
  await expect(root).toBeFocused()
  await expect(root).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowRight')
  await expect(root).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowRight')
  await expect(row(page, 'Audit the parser, continuable, completed')).toBeFocused()
  await page.keyboard.type('upd')
  await expect(row(page, 'Update grammar docs, continuable, interrupted')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Update grammar docs')
  await row(page, 'Update grammar docs, continuable, interrupted').focus()
  await page.keyboard.press('ArrowLeft')
  await expect(root).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(root).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Home')
  expect(await focusedName(page)).toContain('Needs you')
  await page.keyboard.press('End')
  expect(await focusedName(page)).toContain('Archived')
})

test('a peek says the whole reason of a failure', async ({ page }) => {
  await open(page, 'scene=mock')
  await row(page, '9f3c21ab, one-shot, failed').focus()
  await page.keyboard.press(' ')
  const why = page.getByText('The endpoint did not answer within 30 s.').last()
  await expect(why).toBeVisible()
  expect(await why.evaluate(element => element.scrollWidth - element.clientWidth)).toBeLessThan(1)
})

test('F6 goes from pane to pane and back', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(page, 'scene=mock')
  await row(page, 'Audit the parser, continuable, completed').focus()
  await page.keyboard.press('F6')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
  await page.keyboard.press('F6')
  await expect(page.getByRole('tab', { selected: true })).toBeFocused()
  await page.keyboard.press('F6')
  await expect(row(page, 'Audit the parser, continuable, completed')).toBeFocused()
  await page.keyboard.press('Shift+F6')
  await expect(page.getByRole('tab', { selected: true })).toBeFocused()
})

test('the conversation is never blank while another one is read', async ({ page }) => {
  await open(page, 'scene=mock&slow=60')
  await expect(page.getByRole('log').getByRole('article').first()).toBeVisible()
  const blank = await page.evaluate(async () => {
    const item = [...document.querySelectorAll<HTMLElement>('[role=treeitem]')].find(element =>
      element.getAttribute('aria-label')?.startsWith('Audit the parser'),
    )
    let frames = 0
    let ends = false
    const look = () => {
      if (document.querySelector('[role=log] article') === null) frames += 1
      if (!ends) requestAnimationFrame(look)
    }
    item?.click()
    requestAnimationFrame(look)
    await new Promise(resolve => setTimeout(resolve, 600))
    ends = true
    return frames
  })
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Audit the parser')
  expect(blank).toBe(0)
})

test('what is chosen in the drawer of a small window is seen', async ({ page }) => {
  await page.setViewportSize({ width: 820, height: 700 })
  await page.goto(`${gallery.url}?scene=mock`)
  await page.getByRole('button', { name: 'Show sidebar' }).click()
  await row(page, 'Audit the parser, continuable, completed').click()
  await expect(tree(page)).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Audit the parser')
})

test('a search shows what it found from the first row', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 600 })
  await open(page, 'scene=sweep')
  await expect(tree(page).getByRole('treeitem').nth(10)).toBeVisible()
  await tree(page).getByRole('treeitem').nth(3).focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Search sessions' }).click()
  await page.getByRole('searchbox').first().fill('corpus')
  await expect(tree(page).getByRole('treeitem', { name: /^Sweep the corpus/ })).toBeInViewport()
})

test('a first run shows the sample tree live, and leads into it', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(page, 'scene=sample')
  const sample = page.getByRole('tree', { name: 'Sample tree' })
  await expect(sample.getByRole('treeitem', { name: /^Check error recovery/ })).toBeVisible()
  await sample.getByRole('treeitem', { name: /^Rewrite in one pass/ }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(sample.getByRole('treeitem', { name: /^Check error recovery/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Explore' }).click()
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Refactor the parser')
})

test('space peeks and the focus stays', async ({ page }) => {
  await open(page, 'scene=mock')
  const item = row(page, 'Map spans to tokens, one-shot, running')
  await item.focus()
  await page.keyboard.press(' ')
  await expect(page.getByRole('status', { name: 'About Map spans to tokens' })).toContainText('Span::join')
  await expect(page.getByRole('status', { name: 'About Map spans to tokens' })).toBeInViewport({ ratio: 1 })
  await expect(item).toBeFocused()
  await page.keyboard.press(' ')
  await expect(page.getByRole('status', { name: 'About Map spans to tokens' })).toBeHidden()
})

test('actions come with hover and focus, and do not move the mark', async ({ page }) => {
  await open(page, 'scene=mock')
  const item = row(page, 'Update grammar docs, continuable, interrupted')
  const left = () => item.locator('[data-mark]').evaluate(mark => mark.getBoundingClientRect().left)
  const before = await left()
  await item.hover()
  await expect(item.getByRole('button', { name: 'Resume Update grammar docs' })).toBeVisible()
  expect(await left()).toBe(before)
  await item.getByRole('button', { name: 'Resume Update grammar docs' }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()

  const running = row(page, 'Map spans to tokens, one-shot, running')
  await running.hover()
  await running.getByRole('button', { name: 'Stop Map spans to tokens' }).click()
  await expect(row(page, 'Map spans to tokens, one-shot, stopped')).toBeVisible()
})

test('the focus survives rows that come, change and go', async ({ page }) => {
  await open(page, 'scene=mock')
  const item = row(page, 'Benchmark the lexer, one-shot, completed')
  await item.focus()
  await page.evaluate(() => {
    const { host, fixtureId } = window.gallery
    const root = fixtureId('/Refactor the parser')
    host.add(root, { label: 'Came later', mode: 'continuable', running: true, outcome: { kind: 'running' } })
    host.change(fixtureId(`${root}/Rewrite in one pass`), {
      running: false,
      outcome: { kind: 'completed' },
      doing: null,
    })
  })
  await expect(row(page, 'Came later, continuable, running')).toBeVisible()
  await expect(item).toBeFocused()

  await page.evaluate(() => {
    const { host, fixtureId } = window.gallery
    host.push({
      kind: 'removed',
      sessionId: fixtureId(`${fixtureId('/Refactor the parser')}/Benchmark the lexer`),
    })
  })
  await expect(item).toBeHidden()
  await expect.poll(() => focusedName(page)).toBe('Update grammar docs, continuable, interrupted')
})

test('a completion is new until it is opened', async ({ page }) => {
  await open(page, 'scene=mock')
  await row(page, 'Map spans to tokens, one-shot, running').waitFor()
  await page.evaluate(() => {
    const { host, fixtureId } = window.gallery
    const rewrite = fixtureId(`${fixtureId('/Refactor the parser')}/Rewrite in one pass`)
    host.change(fixtureId(`${rewrite}/Map spans to tokens`), {
      running: false,
      outcome: { kind: 'completed' },
      doing: null,
    })
  })
  const item = row(page, 'Map spans to tokens, one-shot, completed')
  await expect(item.locator('[data-mark=doneNew]')).toBeVisible()
  await item.click()
  await expect(item.locator('[data-mark=done]')).toBeVisible()
})

test('a thousand children mount at most a hundred rows', async ({ page }) => {
  await open(page, 'scene=sweep')
  await expect(row(page, 'Parse corpus 0000, one-shot, completed')).toBeVisible()
  const mounted = () => tree(page).getByRole('treeitem').count()
  expect(await mounted()).toBeLessThanOrEqual(100)
  await row(page, 'Parse corpus 0000, one-shot, completed').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.type('parse corpus 0999')
  await expect(row(page, 'Parse corpus 0999, continuable, queued')).toBeFocused()
  await expect(row(page, 'Parse corpus 0999, continuable, queued')).toBeInViewport()
  expect(await mounted()).toBeLessThanOrEqual(100)
})

test('children that are being read are not shown as absent', async ({ page }) => {
  await open(page, 'scene=slow')
  await expect(page.getByText('Reading children…').first()).toBeVisible()
})

test('children that could not be read can be asked for again', async ({ page }) => {
  await open(page, 'scene=failing')
  await expect(page.getByRole('button', { name: /Children could not be read\. Retry/ })).toBeVisible()
})

test('a deep child opened from elsewhere has its whole chain open', async ({ page }) => {
  await open(page, 'scene=deep&open=Level 30')
  await expect(row(page, 'Level 30, continuable, completed')).toHaveAttribute('aria-level', '31')
  await expect(row(page, 'Level 29, continuable, completed')).toHaveAttribute('aria-expanded', 'true')
})

test('a damaged record says what is wrong and can be opened', async ({ page }) => {
  await open(page, 'scene=mock')
  await row(page, 'Record damaged, c41d70e2, descriptor missing').click()
  await expect(page.getByRole('heading', { name: 'This record is damaged', level: 2 })).toBeVisible()
  await page.getByRole('button', { name: 'Open what is readable' }).click()
  await expect(page.getByRole('log', { name: 'Conversation' })).toContainText('There are 118.')
})

test('the palette finds sessions, children and actions', async ({ page }) => {
  await open(page, 'scene=mock')
  await row(page, 'Map spans to tokens, one-shot, running').waitFor()
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Command palette' })
  await expect(box).toBeFocused()
  await box.fill('map sp')
  await page.keyboard.press('Enter')
  await expect(box).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Map spans to tokens')
})

test('archiving can be undone', async ({ page }) => {
  await open(page, 'scene=mock')
  await row(page, 'Drop the legacy AST, session, failed').focus()
  await page.keyboard.press('Delete')
  await expect(row(page, 'Drop the legacy AST, session, failed')).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'Drop the legacy AST, session, failed')).toBeVisible()
})

test('the window comes back by itself when the stream ends', async ({ page }) => {
  await open(page, 'scene=mock')
  await row(page, 'Map spans to tokens, one-shot, running').waitFor()
  await page.evaluate(() => {
    const { host, fixtureId } = window.gallery
    const rewrite = fixtureId(`${fixtureId('/Refactor the parser')}/Rewrite in one pass`)
    host.drop()
    host.change(fixtureId(`${rewrite}/Map spans to tokens`), {
      running: false,
      outcome: { kind: 'interrupted' },
      doing: null,
    })
  })
  await expect(row(page, 'Map spans to tokens, one-shot, interrupted')).toBeVisible()
  await expect(page.getByText('This computer')).toBeVisible()
})

test('the inspector has its tabs, and each shows something', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(page, 'scene=mock')
  const tabs = page.getByRole('tablist', { name: 'Inspector' })
  const panel = page.getByRole('tabpanel')
  for (const [name, text] of [
    ['Overview', 'with descendants'],
    ['Timeline', 'Rewrite in one pass'],
    ['Changes', 'src/parse/power.rs'],
    ['Tasks', '1 of 3 done'],
    ['Log', 'assistant/message'],
    ['Diagnostics', 'readable'],
  ] as const) {
    await tabs.getByRole('tab', { name }).click()
    await expect(panel).toContainText(text)
  }
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const scene of [
    'scene=mock',
    'scene=first-run',
    'scene=sample',
    'scene=failing',
    'scene=mock&contrast=more',
    'scene=unreadable',
  ]) {
    test(`axe finds nothing in ${scene}, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 1440, height: 900 })
      await open(page, scene)
      await page.waitForTimeout(500)
      await noViolations(page)
    })
  }

  test(`axe finds nothing in dialogs and menus, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await open(page, 'scene=mock')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox', { name: 'Command palette' })).toBeVisible()
    await noViolations(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    for (const name of ['Providers', 'Limits', 'Import', 'Permissions', 'Keyboard', 'About']) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name }).click()
      await noViolations(page)
    }
    await page.keyboard.press('Escape')
    await row(page, 'Record damaged, c41d70e2, descriptor missing').click()
    await expect(page.getByRole('heading', { name: 'This record is damaged', level: 2 })).toBeVisible()
    await noViolations(page)
    for (const name of ['Timeline', 'Changes', 'Tasks', 'Log', 'Diagnostics']) {
      await page.getByRole('tab', { name }).click()
      await noViolations(page)
    }
  })
}

for (const theme of ['light', 'dark']) {
  test(`banners and the storage page are accessible in ${theme}, and nothing of them is cut off`, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1024, height: 700 })
    await open(
      page,
      `scene=mock&theme=${theme}&banners=full,damaged,newer,migrated&trashed=Drop the legacy AST`,
    )
    for (const banner of await page.getByRole('alert').or(page.getByRole('status')).all()) {
      const [inner, outer] = await banner.evaluate(one => [one.scrollWidth, one.clientWidth])
      expect(inner).toBeLessThanOrEqual(outer ?? 0)
    }
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    await expect(page.getByText('The session database was brought up to date')).toHaveCount(0)
    await page.getByRole('button', { name: 'What uses space' }).click()
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await expect(settings.getByRole('list', { name: 'What uses space' })).toContainText('Unused')
    await noViolations(page)

    await settings.getByRole('button', { name: 'Delete Drop the legacy AST for good…' }).press('Enter')
    await expect(page.getByRole('button', { name: 'Keep it' })).toBeFocused()
    await noViolations(page)
    await page.keyboard.press('Escape')
    await expect(settings.getByRole('button', { name: 'Delete Drop the legacy AST for good…' })).toBeFocused()
    await settings.getByRole('button', { name: 'Compact…' }).press('Enter')
    await page
      .getByRole('dialog', { name: 'Compact the database?' })
      .getByRole('button', { name: 'Compact', exact: true })
      .click()
    await expect(settings.getByRole('region', { name: 'Unused space' })).toContainText(
      '61 MB were given back',
    )
  })
}

/** Splitters stand between landmarks and belong to none of them. */
async function noViolations(page: Page): Promise<void> {
  const { violations: found } = await new AxeBuilder({ page }).exclude('[data-separator]').analyze()
  expect(
    found.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
    })),
  ).toEqual([])
}

test('large, endless, binary and interrupted outputs are shown in parts, for everybody', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 })
  for (const theme of ['light', 'dark']) {
    await open(page, `scene=outputs&theme=${theme}`)
    const call = (name: string) =>
      page.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: `Run ${name}` })
    await call('cat target/debug/quill').getByRole('button').first().press('Enter')
    await expect(call('cat target/debug/quill').getByText('Binary output of 1.2 MB')).toBeVisible()
    await expect(call('cat target/debug/quill').getByText('00000000  00 26 8a 31')).toBeVisible()
    await call('cargo bench').getByRole('button').first().press('Enter')
    await expect(call('cargo bench').getByText('What it had put out by then:')).toBeVisible()
    await call('node print-one-line.mjs').getByRole('button').first().press('Enter')
    const all = call('node print-one-line.mjs').getByRole('button', { name: 'Show all 10 MB' })
    await all.press('Enter')
    const output = page.getByRole('region', { name: 'Output of Run node print-one-line.mjs' })
    await expect(output.getByText(/^abcdef/).first()).toBeVisible()
    await output.press('End')
    await expect(page.getByRole('slider', { name: 'Place in the output' })).toHaveAttribute(
      'aria-valuetext',
      '10 MB of 10 MB',
    )
    const { violations: found } = await new AxeBuilder({ page }).include('[role=log]').analyze()
    expect(
      found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    ).toEqual([])
  }
})
