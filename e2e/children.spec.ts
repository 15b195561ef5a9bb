import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, type Page, test } from '@playwright/test'
import Database from 'better-sqlite3'
import { windowOf } from './support/journey.ts'
import { oneProject, oneWorkbench } from './support/one-workbench.ts'

/** Children as a window shows them, through the real composition root: many of them, faulty ones, in two windows. */

const project = oneProject()
const launch = oneWorkbench()
let home = ''

test.beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-e2e-'))
})
test.afterEach(() => rmSync(home, { recursive: true, force: true }))

const WIDE = /^A corpus of 1000 children, session/
const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp.exe\u202c'

function fill(children: number): void {
  const program = join(import.meta.dirname, '..', 'bin', 'espalier.mjs')
  const shape = ['--children', `${children}`, '--events', '16', '--unrelated', '2']
  const filled = spawnSync(process.execPath, [program, 'corpus', ...shape, '--home', home], {
    encoding: 'utf8',
  })
  expect(filled.stderr).toBe('')
}

const rowNames = (page: Page) =>
  page
    .getByRole('tree', { name: 'Sessions' })
    .getByRole('treeitem')
    .evaluateAll(rows => rows.map(row => row.getAttribute('aria-label')))
const said = (page: Page) =>
  page.getByRole('log', { name: 'Conversation' }).getByRole('article').allTextContents()

test('a thousand children open with a hundred rows at most, and one of them is read by keys alone', async () => {
  fill(1000)
  const { page } = await launch({ kind: 'browser', home })
  const view = windowOf(page)
  await expect(view.row(WIDE)).toBeVisible()
  const rows = view.tree.getByRole('treeitem')

  await page.keyboard.press('F6')
  await page.keyboard.type('A corpus')
  await expect(view.row(WIDE)).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(view.row(/^Part 1:/)).toHaveAttribute('aria-setsize', '1000')
  expect(await rows.count()).toBeLessThanOrEqual(100)
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await page.keyboard.type('A corpus')
  await page.keyboard.press('ArrowRight')
  await expect(view.row(/^Part 1:/)).toBeFocused()
  expect(await rows.count()).toBeLessThanOrEqual(100)
  await page.keyboard.press('Enter')

  await expect(view.conversation.getByRole('article').first()).toBeVisible()
  await expect(view.row(/^Part 1:/)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('F6')
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
})

test('a child whose record is hostile and faulty is named and opens', async () => {
  fill(3)
  const db = new Database(join(home, 'espalier.db'))
  const key = db
    .prepare("SELECT key FROM session WHERE origin = 'subagent' ORDER BY created_at LIMIT 1")
    .pluck()
    .get()
  const descriptor = JSON.stringify({ version: 2, mode: 'one-shot', provider: 'spawn', label: HOSTILE })
  db.prepare("UPDATE event SET data = ? WHERE session_key = ? AND type = 'subagent/descriptor'").run(
    descriptor,
    key,
  )
  db.prepare(
    `UPDATE event SET data = json_set(data, '$.usage', json('{"input":-1e308,"output":"many"}'), '$.turn', 'first')
     WHERE session_key = ? AND type = 'assistant/message'`,
  ).run(key)
  db.prepare("UPDATE event SET data = '[]' WHERE session_key = ? AND type = 'turn/start'").run(key)
  for (const table of ['checkpoint_row', 'checkpoint'])
    db.prepare(`DELETE FROM ${table} WHERE session_key = ?`).run(key)
  db.close()

  const { page } = await launch({ kind: 'browser', home })
  const view = windowOf(page)
  await view.expand(/^A corpus of 3 children/)
  const row = view.tree.getByRole('treeitem').filter({ hasText: '<img src=x onerror=alert(1)>' })
  await expect(row).toHaveAccessibleName(/, one-shot, /)
  await expect(view.tree.getByRole('treeitem', { name: /^Part / })).toHaveCount(2)
  await row.click()

  await expect(view.conversation.getByRole('article').first()).toBeVisible()
  await expect(page.locator('img[src="x"]')).toHaveCount(0)
})

test('a window that is reloaded in mid-run and a new one show the same, then and at the end', async () => {
  const { page } = await launch({
    kind: 'browser',
    workspace: project.folder,
    env: { ESPALIER_REHEARSAL_PACE_MS: '40' },
  })
  const root = /^Look at this folder, session/
  const before = windowOf(page)
  await before.newSession()
  await before.send('Look at this folder')
  await expect(before.row(root)).toHaveAttribute('aria-expanded', /true|false/, { timeout: 20_000 })
  await before.expand(root)
  await expect(before.row('Read the first pages, continuable, running')).toBeVisible()

  const address = page.url()
  const token = await page.evaluate(() => ({ ...sessionStorage }))
  const other = await page.context().newPage()
  await other.addInitScript(kept => Object.assign(sessionStorage, kept), token)
  await Promise.all([page.reload(), other.goto(address)])
  for (const each of [page, other]) await windowOf(each).expand(root)
  const both = async () => {
    const [one, two] = await Promise.all([rowNames(page), rowNames(other)])
    return { one, two, isSame: JSON.stringify(one) === JSON.stringify(two) }
  }
  await expect.poll(async () => (await both()).isSame).toBe(true)
  expect((await both()).one.join()).toContain('running')

  for (const each of [page, other]) {
    await windowOf(each).open(/^Read the first pages, continuable/)
    await expect(windowOf(each).row('Read the first pages, continuable, completed')).toBeVisible({
      timeout: 30_000,
    })
    await expect(windowOf(each).row('Count the parts, continuable, waiting for approval')).toBeVisible({
      timeout: 30_000,
    })
  }
  await expect.poll(async () => (await both()).isSame).toBe(true)
  await expect
    .poll(async () => JSON.stringify(await said(page)) === JSON.stringify(await said(other)))
    .toBe(true)
  expect((await said(page)).length).toBeGreaterThan(1)
})

test('a link to a session that is not there says so, and leads to no dead end', async () => {
  const { page } = await launch({
    kind: 'stand-in',
    home,
    args: ['espalier://session/019b8d62-7e68-7268-a288-000000000000'],
  })

  const main = page.getByRole('main')
  await expect(main.getByRole('status')).toContainText('Session not found')
  await expect(main.getByRole('button', { name: 'Look again' })).toBeVisible()
  await windowOf(page).open(/^Plan a garden wall, session/)
  await expect(main).not.toContainText('Session not found')
})
