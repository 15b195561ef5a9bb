import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import type {} from '../renderer/gallery/window-gallery.ts'
import { serveGallery } from './support/gallery-server.ts'
import { makeProject, windowOf } from './support/journey.ts'
import { launchWorkbench } from './support/launch.ts'

let gallery: Awaited<ReturnType<typeof serveGallery>>

test.beforeAll(async () => {
  gallery = await serveGallery()
})
test.afterAll(() => gallery.close())

async function openDialog(page: Page) {
  await page.goto(`${gallery.url}?scene=mock`)
  await page.getByRole('button', { name: 'Session actions' }).click()
  await page.getByRole('menuitem', { name: 'Export…' }).click()
  const dialog = page.getByRole('dialog', { name: /^Export / })
  await expect(dialog).toBeVisible()
  return dialog
}

test('a session is exported to a file from its menu, redacted unless told otherwise', async ({ page }) => {
  const dialog = await openDialog(page)

  await expect(dialog.getByRole('radio', { name: /Markdown/ })).toBeChecked()
  await expect(dialog.getByRole('checkbox', { name: /Redact secrets/ })).toBeChecked()
  await dialog.getByRole('radio', { name: /JSON lines/ }).check()
  const saving = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Export' }).click()
  const download = await saving

  expect(download.suggestedFilename()).toMatch(/\.jsonl$/)
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line).seq)).toEqual(lines.map((_, seq) => seq))
  await expect(dialog).toBeHidden()
})

test('the dialog says what an export without redaction holds, and closes with Escape', async ({ page }) => {
  const dialog = await openDialog(page)

  await dialog.getByRole('checkbox', { name: /Redact secrets/ }).uncheck()
  await expect(dialog.getByText(/every key, token and password/)).toBeVisible()
  await page.keyboard.press('Escape')

  await expect(dialog).toBeHidden()
})

test('a row offers it too', async ({ page }) => {
  await page.goto(`${gallery.url}?scene=mock`)
  const row = page.getByRole('tree', { name: 'Sessions' }).getByRole('treeitem').first()
  await row.hover()
  await row.getByRole('button', { name: /^More for / }).click()
  await page.getByRole('menuitem', { name: 'Export…' }).click()

  await expect(page.getByRole('dialog', { name: /^Export / })).toBeVisible()
})

test('the real workbench gives a page that nothing runs in, without a secret that was said', async ({
  page,
}) => {
  const project = makeProject()
  const workbench = await launchWorkbench({
    kind: 'browser',
    workspace: project.folder,
    env: { ESPALIER_REHEARSAL_PACE_MS: '2' },
  })
  try {
    const view = windowOf(workbench.page)
    await view.newSession()
    await view.send('Look at this folder. PASSWORD=hunter2 <img src=x onerror=alert(1)>')
    await expect(view.row(/^Look at this folder/)).toBeVisible()
    await workbench.page.getByRole('button', { name: 'Session actions' }).click()
    await workbench.page.getByRole('menuitem', { name: 'Export…' }).click()
    const dialog = workbench.page.getByRole('dialog', { name: /^Export / })
    await dialog.getByRole('radio', { name: /Web page/ }).check()
    const saving = workbench.page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export' }).click()
    const file = test.info().outputPath('export.html')
    await (await saving).saveAs(file)

    expect(workbench.violations()).toEqual([])
    const text = await readFile(file, 'utf8')
    expect(text).toContain('PASSWORD=[redacted: password]')
    expect(text).not.toContain('hunter2')
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    await expect(page.getByText('<img src=x onerror=alert(1)>').first()).toBeVisible()
    expect(await page.locator('script, img, link, iframe').count()).toBe(0)
    expect(asked).toHaveLength(1)
  } finally {
    await workbench.close()
    project.remove()
  }
})
