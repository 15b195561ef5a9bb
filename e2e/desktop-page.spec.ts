import { expect, test } from '@playwright/test'
import { COMMAND_KEYS, type MenuCommand } from '#shared/window-command.ts'
import { makeProject, windowOf } from './support/journey.ts'
import { type LaunchedWorkbench, launchWorkbench } from './support/launch.ts'

/** The desktop shell around the real page and the real workbench: what only a desktop has. */

const project = makeProject()
test.afterAll(() => project.remove())

let workbench: LaunchedWorkbench
test.beforeEach(async () => {
  workbench = await launchWorkbench({
    kind: 'stand-in',
    workspace: project.folder,
    env: { ESPALIER_REHEARSAL_PACE_MS: '2' },
  })
  await expect(windowOf(workbench.page).tree).toBeVisible()
})
test.afterEach(() => workbench.close())

const standIn = () => workbench.run.standIn!
const byMenu = async (name: MenuCommand) => standIn().link.tell({ kind: 'menu', id: name })
const byKey = (name: MenuCommand) => workbench.page.keyboard.press(`Control+${COMMAND_KEYS.get(name)}`)

for (const [way, ask] of Object.entries({ menu: byMenu, keys: byKey })) {
  test(`the ${way} and the page agree on what a command does`, async () => {
    const { page } = workbench
    const { message, send } = windowOf(page)
    const palette = page.getByRole('combobox', { name: 'Command palette' })
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    await ask('new-session')
    await expect(message).toBeVisible()
    await send('Look at this folder')
    await ask('settings')
    await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible()
    await page.keyboard.press('Escape')
    await ask('command-palette')
    await expect(palette).toBeVisible()
    await ask('command-palette')
    await expect(palette).toHaveCount(0)
    await ask('find-in-conversation')
    await expect(page.getByRole('searchbox', { name: 'Find in conversation' })).toBeFocused()
    await ask('toggle-sidebar')
    await expect(button('Show sidebar')).toBeVisible()
    await ask('toggle-sidebar')
    await expect(button('Hide sidebar')).toBeVisible()
    await ask('toggle-inspector')
    await expect(button('Show inspector')).toBeVisible()
    await ask('open-folder')
    await expect.poll(() => standIn().screen.seen.map(({ what }) => what)).toContain('open-dialog')
    expect(workbench.violations()).toEqual([])
  })
}

test('the menu imports, shows the keys and sets the theme', async () => {
  const { page } = workbench

  await byMenu('import')
  await expect(page.getByRole('textbox', { name: 'File or folder to import' })).toBeVisible()
  await page.keyboard.press('Escape')
  await byMenu('shortcuts')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  for (const theme of ['dark', 'light', 'system'] as const) {
    await byMenu(`theme-${theme}`)
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
  }
})

test('the page leaves the corner to the lights of a window on macOS', async () => {
  const { page } = workbench
  const leftOf = async (name: string) => (await page.getByRole('button', { name }).boundingBox())?.x
  const mark = page.getByRole('complementary', { name: 'Sidebar' }).getByText('Espalier', { exact: true })

  await page.locator('html').evaluate(html => html.setAttribute('data-platform', 'darwin'))
  expect((await mark.boundingBox())?.x).toBeGreaterThan(78)
  await page.getByRole('button', { name: 'Hide sidebar' }).click()

  await expect.poll(() => leftOf('Show sidebar')).toBeGreaterThanOrEqual(78)
})

test('a policy that is broken is seen to be broken', async () => {
  await workbench.page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'document.title = "run"'
    document.body.append(script)
  })

  await expect.poll(() => workbench.violations()).toEqual([expect.stringMatching(/^script-src-elem: /)])
})

test('it ends within two seconds and with 0 while a child waits for an answer', async () => {
  const view = windowOf(workbench.page)
  await view.expand(/^Plan a garden wall, session/)
  await expect(view.row('Compare rootstocks, continuable, waiting for approval')).toBeVisible({
    timeout: 30_000,
  })

  process.kill(workbench.run.pid, 'SIGTERM')
  const asked = performance.now()

  expect(await workbench.run.exit).toBe(0)
  expect(performance.now() - asked).toBeLessThan(2_000)
})
