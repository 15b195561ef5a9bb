import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import type { NewEvent } from '#shared/session/events.ts'
import type { Actor } from '../renderer/gallery/world.ts'
import type { PageControls } from './conversation-page/page.tsx'
import { serveConversationPage } from './conversation-page/serve.ts'

// The conversation, its composer and its approvals over a world in memory, in a real browser: scrolling, streaming and
// hostile content behave only there.

declare global {
  interface Window {
    controls: PageControls
    pwned?: unknown
    changes?: number
    violations?: string[]
    held?: Actor | undefined
  }
}

let site: Awaited<ReturnType<typeof serveConversationPage>>
test.beforeAll(async () => {
  test.setTimeout(180_000)
  site = await serveConversationPage()
})
test.afterAll(async () => {
  await site.close()
})

async function openPage(page: Page, label: string): Promise<void> {
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', event => {
      window.violations = [...(window.violations ?? []), `${event.violatedDirective} ${event.blockedURI}`]
    })
  })
  await page.setViewportSize({ width: 700, height: 800 })
  await page.goto(`${site.url}?open=${encodeURIComponent(label)}`)
  await expect(page.getByRole('log', { name: 'Conversation' }).getByRole('article').first()).toBeVisible()
}

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' })
const mounted = (page: Page) => page.locator('[data-index]').count()

/** The first article whose top is in view, with its text and place. */
function topArticle(page: Page) {
  return log(page).evaluate(box => {
    const edge = box.getBoundingClientRect().top
    const articles = [...box.querySelectorAll('article')]
    const first = articles.find(article => article.getBoundingClientRect().top >= edge)
    return {
      text: first?.textContent?.slice(0, 40) ?? '',
      top: Math.round(first?.getBoundingClientRect().top ?? 0),
    }
  })
}

function placeOf(page: Page, text: string) {
  return log(page).evaluate((box, wanted) => {
    const found = [...box.querySelectorAll('article')].find(article =>
      article.textContent?.startsWith(wanted),
    )
    return Math.round(found?.getBoundingClientRect().top ?? -9999)
  }, text)
}

async function append(page: Page, label: string, event: NewEvent): Promise<void> {
  await page.evaluate(
    ([name, data]) => {
      const { world, host } = window.controls
      const actor = [...world.actors.values()].find(one => one.label === name)
      if (actor !== undefined) host.append(actor.id, JSON.parse(data))
    },
    [label, JSON.stringify(event)] as const,
  )
}

async function stream(page: Page, label: string, offset: number, text: string): Promise<void> {
  await page.evaluate(
    ([name, at, piece]) => {
      const { world, host } = window.controls
      const actor = [...world.actors.values()].find(one => one.label === name)
      if (actor === undefined) return
      host.push({
        kind: 'text',
        sessionId: actor.id,
        messageId: 'live',
        part: 'text',
        offset: at,
        text: piece,
      })
    },
    [label, offset, text] as const,
  )
}

const said = (id: string, text: string): NewEvent => ({
  type: 'user/message',
  data: { id, source: { kind: 'person' }, content: [{ type: 'text', text }] },
})

test.afterEach(async ({ page }) => {
  expect(await page.evaluate(() => window.violations ?? [])).toEqual([])
})

test('the tail stays in view when what stands under the log grows', async ({ page }) => {
  await openPage(page, 'Tall')
  await expect(page.getByText('Answer 599.')).toBeInViewport()

  await page.setViewportSize({ width: 700, height: 640 })

  await expect(page.getByText('Answer 599.')).toBeInViewport({ ratio: 1 })
  await expect
    .poll(() => log(page).evaluate(box => box.scrollHeight - box.clientHeight - box.scrollTop))
    .toBeLessThan(2)
})

test('a long log opens at its tail and mounts only what is in view', async ({ page }) => {
  await openPage(page, 'Tall')

  await expect(page.getByText('Answer 599.')).toBeInViewport()
  expect(await mounted(page)).toBeLessThan(60)
})

test('pages of earlier events come in without moving what is read', async ({ page }) => {
  await openPage(page, 'Tall')
  await log(page).hover()

  for (let round = 0; round < 4; round++) {
    const held = await page.evaluate(
      () => [...window.controls.app.store.getState().transcripts.values()][0]?.events.length ?? 0,
    )
    let before = await topArticle(page)
    // Heights that are measured meanwhile may take the reader away from the start again.
    await expect(async () => {
      await log(page).evaluate(box => box.scrollTo({ top: 900 }))
      await page.waitForTimeout(60)
      before = await topArticle(page)
      await page.waitForFunction(
        count =>
          ([...window.controls.app.store.getState().transcripts.values()][0]?.events.length ?? 0) > count,
        held,
        { timeout: 2000 },
      )
    }).toPass({ timeout: 30_000 })
    await page.waitForTimeout(120)
    expect(Math.abs((await placeOf(page, before.text)) - before.top)).toBeLessThanOrEqual(1)
    expect(await mounted(page)).toBeLessThan(60)
  }
})

test('the tail is followed until the reader scrolls up, and "N new" brings it back', async ({ page }) => {
  await openPage(page, 'Tall')
  await append(page, 'Tall', said('n1', 'First news'))
  await expect(page.getByText('First news')).toBeInViewport()

  await log(page).hover()
  await page.mouse.wheel(0, -400)
  await page.waitForTimeout(200)
  const before = await topArticle(page)
  for (const n of [2, 3, 4]) await append(page, 'Tall', said(`n${n}`, `More news ${n}`))

  await expect(page.getByRole('button', { name: '3 new' })).toBeVisible()
  expect(Math.abs((await placeOf(page, before.text)) - before.top)).toBeLessThanOrEqual(1)
  await page.getByRole('button', { name: '3 new' }).click()
  await expect(page.getByText('More news 4')).toBeInViewport()
  await expect(page.getByRole('button', { name: /new$/ })).toBeHidden()
  await append(page, 'Tall', said('n5', 'Last news'))
  await expect(page.getByText('Last news')).toBeInViewport()
})

test('streamed text grows at the tail and leaves finished blocks alone', async ({ page }) => {
  await openPage(page, 'Tall')
  let text = 'A finished paragraph.\n\nAnd '
  await stream(page, 'Tall', 0, text)
  await expect(page.getByText('A finished paragraph.')).toBeVisible()
  await page.getByText('A finished paragraph.').evaluate(node => {
    window.changes = 0
    const count = () => {
      window.changes = (window.changes ?? 0) + 1
    }
    new MutationObserver(count).observe(node, {
      childList: true,
      characterData: true,
      subtree: true,
      attributes: true,
    })
  })

  for (let n = 0; n < 40; n++) {
    const piece = `word ${n} `.repeat(6)
    await stream(page, 'Tall', text.length, piece)
    text += piece
  }

  await expect(page.getByText('word 39').last()).toBeInViewport()
  const left = await log(page).evaluate(box => box.scrollHeight - box.clientHeight - box.scrollTop)
  expect(left).toBeLessThanOrEqual(2)
  expect(await page.evaluate(() => window.changes)).toBe(0)
})

test('each session remembers where its reader was', async ({ page }) => {
  await openPage(page, 'Tall')
  await log(page).evaluate(box => box.scrollTo({ top: box.scrollTop - 3000 }))
  await page.waitForTimeout(200)
  const before = await topArticle(page)

  for (let round = 0; round < 3; round++) {
    await page.evaluate(() => window.controls.open('Short'))
    await expect(page.getByText('Answer 1.')).toBeInViewport()
    await page.evaluate(() => window.controls.open('Tall'))
    await expect(page.getByText(before.text).first()).toBeInViewport()
  }

  await page.waitForTimeout(200)
  expect(Math.abs((await placeOf(page, before.text)) - before.top)).toBeLessThanOrEqual(1)
})

test('find looks through the whole log and lands on what is not loaded yet', async ({ page }) => {
  await openPage(page, 'Tall')
  await page.evaluate(() => window.controls.app.store.setState({ findRequest: 1 }))
  const box = page.getByRole('searchbox', { name: 'Find in conversation' })
  await expect(box).toBeFocused()

  await box.fill('answer 7.')
  await expect(page.getByText('1 of 1')).toBeVisible()
  await expect(page.getByText('Answer 7.')).toBeInViewport()
  expect(await page.evaluate(() => CSS.highlights.get('found-text')?.size)).toBe(1)
  expect(await mounted(page)).toBeLessThan(60)
  await page.screenshot({ path: test.info().outputPath('find.png') })

  await box.press('Escape')
  await expect(box).toBeHidden()
  await expect(page.getByText('Answer 7.')).toBeInViewport()
})

test('hostile content runs nothing, loads nothing and links only where people may go', async ({ page }) => {
  const requests: string[] = []
  page.on('request', request => requests.push(request.url()))
  await openPage(page, 'Hostile')
  await page.waitForTimeout(500)
  await page.evaluate(() => window.controls.open('Every row'))
  await expect(page.getByText('Image from images.example, not loaded')).toBeVisible()
  expect(requests.filter(url => !url.startsWith(site.url) && !/^(data|blob):/.test(url))).toEqual([])
  await page.evaluate(() => window.controls.open('Hostile'))
  await expect(page.getByText('(evil.example)')).toBeVisible()

  const answer = page.getByRole('article').last()
  expect(await page.evaluate(() => window.pwned)).toBeUndefined()
  expect(requests.filter(url => url.includes('evil'))).toEqual([])
  expect(await answer.locator('img, iframe, script, style, object, embed, form').count()).toBe(0)
  const attributes = await answer.evaluate(node =>
    [...node.querySelectorAll('*')].flatMap(element =>
      element.getAttributeNames().filter(name => name.startsWith('on')),
    ),
  )
  expect(attributes).toEqual([])
  const links = await answer.evaluate(node =>
    [...node.querySelectorAll('a')].map(link => [
      link.getAttribute('href'),
      link.title,
      link.target,
      link.rel,
    ]),
  )
  expect(links).toEqual(
    ['http://evil.example/pixel.png', 'https://example.org/a', 'https://evil.example/login'].map(href => [
      href,
      href,
      '_blank',
      'noopener noreferrer',
    ]),
  )
  await expect(answer.getByText('(evil.example)')).toBeVisible()
  await expect(answer.getByText('onerror="window.pwned=1"')).toBeVisible()
})

test('long output is cut in the middle and stays bounded when all of it is shown', async ({ page }) => {
  await openPage(page, 'Every row')
  await page.getByRole('button', { name: /seq 4000/ }).click()
  const call = page.getByRole('article', { name: 'Run seq 4000' })

  await expect(call.getByText('3,880 lines are not shown')).toBeVisible()
  await call.getByRole('button', { name: 'Show all' }).click()
  await expect(call.getByText('line 3', { exact: true })).toBeVisible()
  expect(await call.evaluate(node => node.querySelectorAll('*').length)).toBeLessThan(300)
})

test('an approval is answered by key from the composer, and Enter never approves', async ({ page }) => {
  await openPage(page, 'Refactor the parser')
  const card = page.getByRole('group', { name: 'Approval for Check error recovery' })
  await expect(card).toBeVisible()
  for (const name of ['Allow once', 'Allow for this session', 'Always allow', 'Deny']) {
    await expect(card.getByRole('button', { name, exact: true })).toBeVisible()
  }

  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.press('Enter')
  await expect(card).toBeVisible()
  await page.keyboard.press('Alt+KeyA')
  await expect(card).toBeHidden()
})

test('a message is sent with Enter, its draft survives a reload and a refusal', async ({ page }) => {
  await openPage(page, 'Short')
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('half a thought')
  await page.reload()
  await expect(box).toHaveValue('half a thought')

  const setGone = (gone: boolean) =>
    page.evaluate(isGone => {
      const { world } = window.controls
      const held = [...world.actors.values()].find(actor => actor.label === 'Short') ?? window.held
      window.held = held
      if (held === undefined) return
      if (isGone) world.actors.delete(held.id)
      else world.actors.set(held.id, held)
    }, gone)
  await setGone(true)
  await box.press('Enter')
  await expect(page.getByRole('alert')).toContainText('The message was not sent.')
  await expect(page.getByRole('alert')).toContainText('Your text is kept.')
  await expect(box).toHaveValue('half a thought')

  await setGone(false)
  await box.fill('A whole thought')
  await box.press('Enter')
  await expect(log(page).getByRole('article', { name: 'You' }).last()).toContainText('A whole thought')
  await expect(box).toHaveValue('')
})

test('every kind of row passes the accessibility checks in both themes', async ({ page }) => {
  for (const theme of ['light', 'dark']) {
    await page.goto(`${site.url}?open=Every%20row&theme=${theme}`)
    await expect(page.getByRole('article').first()).toBeVisible()
    const { violations } = await new AxeBuilder({ page })
      .disableRules(['landmark-one-main', 'page-has-heading-one'])
      .analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  }
})
