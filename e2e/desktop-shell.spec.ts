import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { buildToy } from './support/build-toy.ts'
import { type LaunchedWorkbench, type LaunchOptions, launchWorkbench } from './support/launch.ts'
import { until } from './support/until.ts'

/** The desktop shell for real (main.ts, shell/, preload.ts), around a toy workbench, on the stand-in for Electron. */

test.beforeAll(buildToy)

let workbench: LaunchedWorkbench
const others: LaunchedWorkbench[] = []

async function launch(options: LaunchOptions = {}) {
  const launched = await launchWorkbench({
    kind: 'stand-in',
    ...options,
    env: { ESPALIER_TOY: '1', ...options.env },
  })
  others.push(launched)
  workbench = launched
  return launched
}

const standIn = () => workbench.run.standIn!
const seen = (what: string) =>
  standIn()
    .screen.seen.filter(shown => shown.what === what)
    .map(shown => shown.value)
const connected = (page = workbench.page) =>
  expect(page.locator('#host')).toHaveText(`desktop ${workbench.home}`)

test.afterEach(async () => {
  for (const launched of others.splice(0)) await launched.close()
})

test('a window opens, reaches the contract through the preload’s port, and breaks no policy', async () => {
  const { page } = await launch()

  await connected()
  await expect(page.locator('#state')).toHaveText('open')
  await expect(page.locator('#violation')).toHaveText('')
  expect(await page.evaluate(() => Object.keys(window.espalier ?? {}).sort())).toEqual([
    'chooseFolder',
    'onCommand',
    'platform',
    'requestPort',
  ])
  expect(await page.evaluate(() => typeof (globalThis as { require?: unknown }).require)).toBe('undefined')
  expect(standIn().screen.foreign).toEqual([])
})

test('a policy that is broken is seen to be broken', async () => {
  const { page } = await launch()
  await connected()

  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'document.title = "run"'
    document.body.append(script)
  })

  await expect(page.locator('#violation')).toHaveText('script-src-elem')
  expect(await page.title()).toBe('Espalier')
})

test('a page cannot leave, embed or open windows; web links go to the system', async () => {
  const { page } = await launch()
  await connected()

  await page.getByRole('link', { name: 'away' }).click()
  await page.getByRole('link', { name: 'outside' }).click()
  await expect.poll(() => seen('external')).toEqual(['https://example.org/outside'])
  await page.getByRole('link', { name: 'file' }).click()
  await page.evaluate(() => {
    const frame = document.createElement('iframe')
    frame.src = '/index.html'
    document.body.append(frame)
  })

  await expect(page.locator('#violation')).toHaveText('frame-src')
  await connected()
  expect(page.url()).toMatch(/\/index\.html$/)
  expect(standIn().screen.pages()).toHaveLength(1)
  expect(standIn().screen.foreign).toEqual([])
  expect(seen('external')).toEqual(['https://example.org/outside'])
})

test('every permission but writing to the clipboard is denied', async () => {
  await launch()
  await connected()

  expect(seen('permission')).not.toHaveLength(0)
  for (const answer of seen('permission')) expect(answer).toMatchObject({ yes: false })
})

test('a frame that is not the page is given neither a port nor a dialog', async () => {
  const { home } = await launch()
  await connected()
  const log = () => readFileSync(join(home, 'logs', 'desktop-shell.log'), 'utf8')
  const refusals = () => log().split('A message from a stranger was refused.').length - 1
  const strangers = [
    { url: 'https://evil.example/', isMainFrame: false },
    { url: 'app://espalier/index.html', isMainFrame: false },
    { url: 'https://evil.example/', isMainFrame: true },
  ]

  for (const frame of strangers) {
    const facts = { window: 1, frame, args: [] }
    standIn().link.tell({ ...facts, kind: 'ipc', channel: 'espalier:port', ports: [77] })
    const asked = standIn().link.call({ ...facts, kind: 'invoke', channel: 'espalier:choose-folder' })
    await expect(asked).rejects.toThrow('Refused')
  }

  await expect.poll(refusals).toBe(2 * strangers.length)
  expect(seen('open-dialog')).toEqual([])
})

test('the menu reaches the page as named commands', async () => {
  const { page } = await launch()
  await connected()
  expect(seen('menu')[0]).toEqual(
    expect.arrayContaining(['New session', 'Open folder…', 'Import…', 'Theme', 'zoomIn']),
  )

  standIn().link.tell({ kind: 'menu', id: 'new-session' })

  await expect(page.locator('#command')).toHaveText('{"name":"new-session"}')
})

test('the system’s dialog chooses a folder, or none', async () => {
  const { page } = await launch()
  await connected()
  const choose = page.getByRole('button', { name: 'Choose folder' })

  await choose.click()
  await expect(page.locator('#folder')).toHaveText('none chosen')
  standIn().link.tell({
    kind: 'next-dialog',
    value: { canceled: false, filePaths: ['/srv/näme with spaces'] },
  })
  await choose.click()

  await expect(page.locator('#folder')).toHaveText('/srv/näme with spaces')
})

test('a link to a session navigates, cold and warm, and nothing else does', async () => {
  const { page } = await launch({ args: ['espalier://session/cold-1'] })
  await expect(page.locator('#command')).toHaveText('{"name":"open-session","sessionId":"cold-1"}')

  const arrive = (link: string) =>
    standIn().link.tell({ kind: 'emit', event: 'second-instance', args: [['electron', 'app', link], '/'] })
  for (const link of ['espalier://session/../x', '--home=/x', `espalier://session/${'x'.repeat(9_999)}`])
    arrive(link)
  for (let i = 1; i <= 20; i += 1) arrive(`espalier://session/warm-${i}`)

  await expect(page.locator('#command')).toHaveText('{"name":"open-session","sessionId":"warm-20"}')
})

test('a second instance leaves the folder alone and brings the first one forward', async () => {
  const first = await launch()
  await connected()
  const before = readdirSync(first.home)

  const second = await launchWorkbench({
    kind: 'stand-in',
    home: first.home,
    env: { ESPALIER_TOY: '1' },
    args: ['espalier://session/from-the-second'],
  }).catch((error: Error) => error)

  expect(second).toMatchObject({ message: expect.stringContaining('main.ts ended with 1') })
  await expect(first.page.locator('#command')).toHaveText(
    '{"name":"open-session","sessionId":"from-the-second"}',
  )
  expect(readdirSync(first.home)).toEqual(before)
})

test('a page that crashes comes back, connected', async () => {
  await launch()
  await connected()
  const crashed = workbench.page

  await crashed.goto('chrome://crash').catch(() => {})

  await until(
    () => workbench.run.standIn?.screen.page() !== crashed && standIn().screen.pages().length === 1,
    'a new page',
  )
  await connected()
})

test('a page that hangs comes back within ten seconds', async () => {
  await launch()
  await connected()
  const hung = workbench.page
  const start = performance.now()

  void hung
    .evaluate(() => {
      for (;;);
    })
    .catch(() => {})

  await until(
    () =>
      standIn()
        .screen.pages()
        .some(page => page !== hung),
    'a new page',
  )
  await connected()
  expect(performance.now() - start).toBeLessThan(12_000) // ten, and the start of a browser's tab on a busy machine
})

test('quitting waits for the flush and gives the folder back', async () => {
  const { home, run } = await launch()
  await connected()
  await until(() => readdirSync(home).includes('host.json'), 'the host file')

  await workbench.kill('SIGTERM')

  expect(await run.exit).toBe(0)
  expect(run.output()).toContain('flushed')
  expect(readdirSync(home)).not.toContain('host.json')
  expect(readdirSync(home)).not.toContain('host.sock')
})

test('closing the last window quits, but never work that runs', async () => {
  const idle = await launch()
  await connected()
  await idle.page.close()
  expect(await idle.run.exit).toBe(0)

  const busy = await launch({ env: { ESPALIER_TOY: 'Audit the parser' } })
  await connected()
  await busy.page.close()
  await expect.poll(() => seen('tray')).toEqual(['shown'])
  standIn().link.tell({ kind: 'emit', event: 'activate', args: [] })
  await until(() => standIn().screen.page() !== undefined, 'a window')
  await connected()
  expect(seen('tray')).toEqual(['shown', 'gone'])
})

test('a command of the menu opens a window where there is none', async () => {
  const { page } = await launch({ env: { ESPALIER_TOY: 'Audit the parser' } })
  await connected()
  await page.close()
  await expect.poll(() => seen('tray')).toEqual(['shown'])

  standIn().link.tell({ kind: 'menu', id: 'new-session' })

  await until(() => standIn().screen.page() !== undefined, 'a window')
  await expect(workbench.page.locator('#command')).toHaveText('{"name":"new-session"}')
})

test('keys lie encrypted in the data folder', async () => {
  const { home } = await launch()
  await connected()

  const text = readFileSync(join(home, 'shell', 'secrets-encrypted.json'), 'utf8')
  expect(JSON.parse(text)).toHaveProperty('toy')
  expect(text).not.toContain('sk-toy')
})

test('it comes back after a kill, on the same folder', async () => {
  const { home } = await launch()
  await connected()

  await workbench.kill('SIGKILL')
  await workbench.restart()

  await connected()
  expect(workbench.home).toBe(home)
})
