import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import Database from 'better-sqlite3'
import { windowOf } from './support/journey.ts'
import type { LaunchedWorkbench, LaunchOptions, WorkbenchKind } from './support/launch.ts'
import { oneProject, oneWorkbench } from './support/one-workbench.ts'

/** What a person does with Espalier, through the real composition root, in real Chromium. */

const project = oneProject()
const launch = oneWorkbench()

let workbench: LaunchedWorkbench | undefined

/** In the project's folder; `firstRun` opens without one. */
type Start = (options?: LaunchOptions & { firstRun?: boolean }) => Promise<LaunchedWorkbench>

const startIn =
  (kind: WorkbenchKind): Start =>
  async ({ firstRun = false, ...options } = {}) => {
    workbench = await launch({
      kind,
      ...(!firstRun && { workspace: project.folder }),
      ...options,
      env: { ESPALIER_REHEARSAL_PACE_MS: '2', ...options.env },
    })
    return workbench
  }
const start = startIn('browser')

/** What a shell has a part in is tried in each; the rest once. */
function inEachShell(name: string, journey: (start: Start) => Promise<void>) {
  for (const kind of ['browser', 'stand-in'] as const) test(`${name} (${kind})`, () => journey(startIn(kind)))
}

const ROOT = /^Look at this folder, session/
const OPEN_ENDS = /^Look for open ends, one-shot/
const PAGES = /^Read the first pages, continuable/
const COUNT = /^Count the parts, continuable/

/** A rehearsal turn whose three children are listed in the tree. */
async function rehearse(from: LaunchedWorkbench) {
  const view = windowOf(from.page)
  await view.newSession()
  await view.send('Look at this folder')
  await expect(view.row(ROOT)).toBeVisible()
  await expect(view.row(ROOT)).toHaveAttribute('aria-expanded', /true|false/, { timeout: 20_000 })
  await view.expand(ROOT)
  return view
}

inEachShell('first run: no folder and no key, and yet a living tree to explore', async start => {
  const { page } = await start({ firstRun: true, env: { ESPALIER_REHEARSAL_PACE_MS: '4' } })
  const view = windowOf(page)

  await expect(page.getByRole('button', { name: /^Open folder/ }).first()).toBeVisible()
  await expect(view.row(/^Plan a garden wall, session/)).toBeVisible()
  await view.expand(/^Plan a garden wall, session/)

  await expect(view.row('Compare rootstocks, continuable, waiting for approval')).toBeVisible({
    timeout: 30_000,
  })
  await expect(view.row('Survey the wall, one-shot, completed')).toBeVisible({ timeout: 30_000 })
  await expect(view.row('Price the wire, continuable, failed')).toBeVisible()
  await expect(view.row('Draw the layout, continuable, stopped')).toBeVisible()
  await expect(view.row('Dig the footings, continuable, limit reached')).toBeVisible({ timeout: 30_000 })
  await expect(view.row('Label the trees, continuable, queued')).toBeVisible()
})

inEachShell('a rehearsal turn: three children are seen running and then done', async start => {
  const { page } = await start({ env: { ESPALIER_REHEARSAL_PACE_MS: '30' } })
  const view = await rehearse(workbench!)

  await expect(view.row('Read the first pages, continuable, running')).toBeVisible()
  await expect(view.row('Look for open ends, one-shot, completed')).toBeVisible({ timeout: 30_000 })
  await expect(view.row('Read the first pages, continuable, completed')).toBeVisible({ timeout: 30_000 })
  await expect(view.row('Count the parts, continuable, waiting for approval')).toBeVisible({
    timeout: 30_000,
  })

  await view.open(PAGES)
  await expect(view.conversation.getByRole('article', { name: /^Read README\.md/ })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
})

inEachShell("approval of a child's shell command, where the child is not open", async start => {
  const { page } = await start()
  const view = await rehearse(workbench!)

  const approval = page.getByRole('group', { name: 'Approval for Count the parts' }).first()
  await expect(approval).toContainText('ls')
  await approval.getByRole('button', { name: 'Allow once' }).click()

  await expect(page.getByRole('group', { name: 'Approval for Count the parts' })).toHaveCount(0)
  await expect(view.row('Count the parts, continuable, completed')).toBeVisible()
})

inEachShell('a continuable child comes back after SIGKILL in mid-run, as itself', async start => {
  await start()
  const before = await rehearse(workbench!)
  await expect(before.row('Read the first pages, continuable, completed')).toBeVisible({ timeout: 30_000 })
  await expect(before.row(COUNT)).toHaveAccessibleName(/waiting for approval$/)

  await workbench!.kill('SIGKILL')
  const page = await workbench!.restart()
  const view = windowOf(page)
  await view.expand(ROOT)

  for (const row of await view.tree.getByRole('treeitem').all()) {
    await expect(row).not.toHaveAccessibleName(/, running/)
  }
  await expect(view.row('Count the parts, continuable, waiting for approval')).toBeVisible()
  await view.open(PAGES)
  await view.send('Where is the word larch?')
  await expect(view.row('Read the first pages, continuable, completed')).toBeVisible({ timeout: 20_000 })
  await expect(view.conversation.getByRole('article', { name: 'You' }).last()).toContainText('larch')
  await expect(view.conversation.getByRole('article', { name: /^Search / }).last()).toBeVisible()
})

test('a kill in mid-turn leaves an interrupted turn, not a running one', async () => {
  await start({ env: { ESPALIER_REHEARSAL_PACE_MS: '60' } })
  const before = windowOf(workbench!.page)
  await before.newSession()
  await before.send('Look at this folder')
  await expect(before.row('Look at this folder, session, running')).toBeVisible()
  await expect(before.conversation).toContainText('rehearsal')

  await workbench!.kill('SIGKILL')
  const view = windowOf(await workbench!.restart())

  await expect(view.row('Look at this folder, session, interrupted')).toBeVisible()
  await view.open(ROOT)
  await expect(view.conversation).toContainText(/Interrupted/)
})

test('a damaged child is one row with a reason, beside healthy siblings', async () => {
  await start()
  const before = await rehearse(workbench!)
  await expect(before.row('Read the first pages, continuable, completed')).toBeVisible({ timeout: 30_000 })
  await workbench!.kill('SIGTERM')
  const damaged = withDatabase(workbench!.home, db => {
    const key = db
      .prepare(
        `SELECT session_key FROM event WHERE type = 'subagent/descriptor' AND data LIKE '%Look for open ends%'`,
      )
      .pluck()
      .get()
    db.prepare('DELETE FROM checkpoint_row WHERE session_key = ?').run(key)
    db.prepare('DELETE FROM checkpoint WHERE session_key = ?').run(key)
    db.prepare(`UPDATE event SET data = '{"version":2,"mode":"one-' WHERE session_key = ? AND seq = 4`).run(
      key,
    )
    return String(db.prepare('SELECT id FROM session WHERE key = ?').pluck().get(key))
  })

  const page = await workbench!.restart()
  const view = windowOf(page)
  await view.expand(ROOT)

  const row = view.row(new RegExp(`^(Record damaged|Temporarily unavailable), .*${damaged.slice(-8)}`))
  await expect(row).toBeVisible()
  await expect(view.row(PAGES)).toBeVisible()
  await row.focus()
  await row.press('Enter')
  await expect(page.getByRole('main')).toContainText(/cannot be read|damaged/i)
  await expect(page.getByRole('button', { name: /^Open what is readable/ })).toBeVisible()
})

test('cold history of an imported child, read-only, with a way to go on', async () => {
  const { home } = await start()
  const source = join(import.meta.dirname, 'support', 'claude-home')
  const imported = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '..', 'bin', 'espalier.mjs'), 'import', source, '--home', home, '--json'],
    { encoding: 'utf8' },
  )
  expect(imported.stderr).toBe('')
  expect(JSON.parse(imported.stdout)).toMatchObject({ sessions: 1, children: 1 })

  const view = windowOf(workbench!.page)
  await view.expand(/^Tidy the parser, session/)
  await view.open('Find unused exports, one-shot, completed')

  await expect(view.conversation).toContainText('Nothing is unused.')
  await expect(workbench!.page.getByText(/imported from another tool/)).toBeVisible()
  await workbench!.page.getByRole('button', { name: 'Continue in a new session' }).click()
  await expect(view.message).toBeVisible()
  await expect(view.conversation).toBeVisible()
})

inEachShell('a reload in mid-run shows the same tree, still running and still stoppable', async start => {
  await start({ env: { ESPALIER_REHEARSAL_PACE_MS: '40' } })
  const { page } = workbench!
  const view = await rehearse(workbench!)
  await expect(view.row('Read the first pages, continuable, running')).toBeVisible()

  await page.reload()
  await view.expand(ROOT)

  await expect(view.row(/^Read the first pages, continuable, (running|completed)/)).toBeVisible()
  await expect(view.row(ROOT)).toHaveAccessibleName(/running/)
  await view.open(ROOT)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(view.row(ROOT)).not.toHaveAccessibleName(/, running/, { timeout: 10_000 })
  await expect(view.row(OPEN_ENDS)).not.toHaveAccessibleName(/, running/)
})

function withDatabase<T>(home: string, work: (db: Database.Database) => T): T {
  const db = new Database(join(home, 'espalier.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}
