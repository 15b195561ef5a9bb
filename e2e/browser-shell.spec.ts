import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { buildToy } from './support/build-toy.ts'
import { type LaunchedWorkbench, launchWorkbench } from './support/launch.ts'

/** The browser shell for real, around a toy workbench, in Chromium. */

test.beforeAll(buildToy)

let workbench: LaunchedWorkbench

test.beforeEach(async () => {
  workbench = await launchWorkbench({ kind: 'browser', env: { ESPALIER_TOY: '1' } })
})
test.afterEach(() => workbench.close())

const connected = (page: Page) => expect(page.locator('#host')).toHaveText(/^\w+ .*espalier-e2e-/)

test('the printed address works, is cleaned at once, and breaks no policy', async () => {
  const { page } = workbench

  await connected(page)
  expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  await expect(page.locator('#violation')).toHaveText('')
  expect(
    await page.evaluate(() => performance.getEntriesByType('resource').map(entry => entry.name)),
  ).not.toContainEqual(expect.stringContaining('token'))
})

test('a reload stays connected, and going back does not find the token', async () => {
  const { page } = workbench
  await connected(page)

  await page.reload()
  await connected(page)
  await page.goBack()

  expect(page.url()).toBe('about:blank')
})

test('a tab without the token is told what to do', async () => {
  const other = await workbench.page.context().newPage()

  await other.goto(workbench.page.url())

  await expect(other.locator('#state')).toHaveText(
    'refused: This page has no key. Open the address Espalier printed when it started.',
  )
})

test('a wrong token is refused with its reason, and the right one pasted into the same tab connects', async () => {
  const [, token] = /#token=([\w-]+)/.exec(workbench.run.output()) ?? []
  const other = await workbench.page.context().newPage()
  await other.goto(`${workbench.page.url()}#token=wrong`)
  await expect(other.locator('#state')).toHaveText(/^refused: This page belongs to an earlier run\./)

  await other.evaluate(fragment => {
    location.hash = fragment
  }, `token=${token}`)

  await connected(other)
  expect(other.url()).not.toContain('token')
})

test('a page sees the workbench go and says so', async () => {
  const { page } = workbench
  await connected(page)

  await workbench.kill('SIGTERM')
  await expect(page.locator('#state')).toHaveText(
    /^lost: (Espalier is closing|The workbench does not answer)\.$/,
  )
})

test('a page of an earlier run learns that the workbench is another one', async () => {
  const home = mkdtempSync(join(tmpdir(), 'espalier-e2e-'))
  const port = 20_000 + (process.pid % 20_000)
  const options = {
    kind: 'browser',
    home,
    env: { ESPALIER_TOY: '1' },
    args: ['--port', String(port)],
  } as const
  const first = await launchWorkbench(options)
  await connected(first.page)
  await first.kill('SIGKILL')
  await expect(first.page.locator('#state')).toHaveText(/^lost: /)

  const second = await launchWorkbench(options)

  await expect(first.page.locator('#state')).toHaveText(/^refused: This page belongs to an earlier run\./, {
    timeout: 15_000,
  })
  await first.close()
  await second.close()
})
