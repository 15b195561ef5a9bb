import { expect, type Page, test } from '@playwright/test'
import { windowOf } from './support/journey.ts'
import { oneProject, oneWorkbench } from './support/one-workbench.ts'

/** Archive, trash and storage, through the real composition root, in real Chromium. */

const project = oneProject()
const launch = oneWorkbench()

const ROOT = /^Look at this folder, session/
const PAGES = /^Read the first pages, continuable/
const COUNT = /^Count the parts, continuable/

async function start(paceMs: string) {
  const workbench = await launch({
    kind: 'browser',
    workspace: project.folder,
    env: { ESPALIER_REHEARSAL_PACE_MS: paceMs },
  })
  const view = windowOf(workbench.page)
  await view.newSession()
  await view.send('Look at this folder')
  await expect(view.row(ROOT)).toBeVisible()
  return { page: workbench.page, view }
}

/** A rehearsal turn that is over but for one question of a child, which waits. */
async function startSettled() {
  const opened = await start('2')
  const { view } = opened
  await expect(view.row(ROOT)).toHaveAttribute('aria-expanded', /true|false/, { timeout: 20_000 })
  await view.expand(ROOT)
  for (const row of [
    /^Count the parts, continuable, waiting for approval/,
    /^Read the first pages, continuable, completed/,
    /^Look for open ends, one-shot, completed/,
  ]) {
    await expect(view.row(row)).toBeVisible({ timeout: 30_000 })
  }
  return opened
}

async function openStorage(page: Page) {
  await page.keyboard.press('Control+,')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.getByRole('button', { name: 'Storage', exact: true }).click()
  await expect(settings.getByRole('heading', { name: 'Storage' })).toBeVisible()
  return settings
}

test('a tree is archived with its children by one key, and comes back by Undo', async () => {
  const { page, view } = await startSettled()
  // What waits for a person is shown in a folded group, too.
  const approval = page.getByRole('group', { name: 'Approval for Count the parts' }).first()
  await approval.getByRole('button', { name: 'Allow once' }).click()
  await expect(view.row(/^Look at this folder, session, completed/)).toBeVisible({ timeout: 30_000 })

  await view.row(ROOT).focus()
  await page.keyboard.press('Delete')
  const toast = page.getByRole('status').filter({ hasText: 'Undo' })
  await expect(toast).toContainText('Archived Look at this folder and 3 children')
  await expect(view.row(PAGES)).toHaveCount(0)

  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(toast).toHaveCount(0)
  await expect(view.row(ROOT)).toBeVisible()
  await expect(view.row(PAGES)).toBeVisible()
})

test('a tree goes into the trash, is undone, goes again and is restored from the storage page', async () => {
  const { page, view } = await startSettled()
  await view.open(COUNT)

  await view.row(ROOT).focus()
  await page.keyboard.press('Shift+Delete')
  const toast = page.getByRole('status').filter({ hasText: 'Undo' })
  await expect(toast).toContainText('Moved Look at this folder and 3 children to the trash')
  await expect(view.row(ROOT)).toHaveCount(0)
  await expect(view.conversation).toHaveCount(0)
  await expect(page.getByRole('group', { name: 'Approval for Count the parts' })).toHaveCount(0)
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(view.row(ROOT)).toBeVisible()
  await expect(view.conversation).toBeVisible()

  await view.row(ROOT).focus()
  await page.keyboard.press('Shift+Delete')
  await expect(view.row(ROOT)).toHaveCount(0)
  const settings = await openStorage(page)
  const trash = settings.getByRole('region', { name: 'Trash' })
  await expect(trash).toContainText(/4 sessions, .*moved here today/)
  await trash.getByRole('button', { name: 'Restore Look at this folder' }).click()
  await expect(trash).toContainText('The trash is empty')
  await page.keyboard.press('Escape')

  await expect(view.row(ROOT)).toBeVisible()
  await view.expand(ROOT)
  await view.open(COUNT)
  const approval = page.getByRole('group', { name: 'Approval for Count the parts' }).first()
  await approval.getByRole('button', { name: 'Allow once' }).click()
  await expect(view.row(/^Count the parts, continuable, completed/)).toBeVisible({ timeout: 30_000 })
})

test('deleting for good asks with sessions and bytes, and the space page knows what is left', async () => {
  const { page, view } = await startSettled()
  await view.row(ROOT).focus()
  await page.keyboard.press('Shift+Delete')
  await expect(view.row(ROOT)).toHaveCount(0)
  const settings = await openStorage(page)
  const trash = settings.getByRole('region', { name: 'Trash' })

  await trash.getByRole('button', { name: 'Delete Look at this folder for good…' }).click()
  const question = page.getByRole('dialog', { name: 'Delete Look at this folder for good?' })
  await expect(question).toContainText(/4 sessions, [\d.]+ kB\. This cannot be undone/)
  await expect(question.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question).toHaveCount(0)
  await expect(trash.getByRole('button', { name: 'Restore Look at this folder' })).toBeVisible()

  await trash.getByRole('button', { name: 'Delete Look at this folder for good…' }).click()
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expect(trash).toContainText('The trash is empty')
  await expect(settings.getByRole('list', { name: 'What uses space' })).not.toContainText('Trash')
})

test('a backup brings back what was deleted for good', async () => {
  const { page, view } = await startSettled()
  let settings = await openStorage(page)
  let backups = settings.getByRole('region', { name: 'Backups' })
  await backups.getByRole('button', { name: 'Back up now' }).click()
  const restore = backups.getByRole('button', { name: /^Restore the backup of .*, made by you…/ })
  await expect(restore).toBeVisible({ timeout: 20_000 })
  await page.keyboard.press('Escape')

  await view.row(ROOT).focus()
  await page.keyboard.press('Shift+Delete')
  await expect(view.row(ROOT)).toHaveCount(0)
  settings = await openStorage(page)
  backups = settings.getByRole('region', { name: 'Backups' })
  await settings.getByRole('button', { name: 'Delete Look at this folder for good…' }).click()
  await page
    .getByRole('dialog', { name: /for good\?$/ })
    .getByRole('button', { name: 'Delete for good' })
    .click()
  await expect(settings.getByRole('region', { name: 'Trash' })).toContainText('The trash is empty')

  await restore.click()
  const question = page.getByRole('dialog', { name: 'Restore this backup?' })
  await question.getByRole('button', { name: 'Restore', exact: true }).click()
  // The sample tree may be at work: then it is asked about.
  const stop = question.getByRole('button', { name: 'Stop them and restore' })
  const done = backups.getByRole('status').filter({ hasText: 'Restored' })
  await expect(stop.or(done)).toBeVisible({ timeout: 30_000 })
  if (await stop.isVisible()) await stop.click()
  await expect(done).toBeVisible({ timeout: 30_000 })
  await page.keyboard.press('Escape')
  await expect(view.row(ROOT)).toBeVisible()
})

test('what is at work is thrown away only after a question that names it', async () => {
  const { page, view } = await start('300')
  await expect(view.row(/^Look at this folder, session, running/)).toBeVisible()

  await view.row(ROOT).focus()
  await page.keyboard.press('Shift+Delete')
  const question = page.getByRole('dialog', { name: 'Stop and move Look at this folder to the trash?' })
  await expect(question).toContainText('Look at this folder is running.')
  await expect(question.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question).toHaveCount(0)
  await expect(view.row(/^Look at this folder, session, running/)).toBeVisible()

  await view.row(ROOT).focus()
  await page.keyboard.press('Shift+Delete')
  await question.getByRole('button', { name: 'Stop and move to trash' }).click()
  await expect(view.row(ROOT)).toHaveCount(0)
  const toast = page.getByRole('status').filter({ hasText: 'Undo' })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(view.row(/^Look at this folder, session, stopped/)).toBeVisible()
})
