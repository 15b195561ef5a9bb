import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { expect, test } from '@playwright/test'
import { windowOf } from './support/journey.ts'
import { oneProject, oneWorkbench } from './support/one-workbench.ts'

const project = oneProject()
const launch = oneWorkbench()

/** A program called `ls`, which is what the rehearsal runs: so many lines of 80 bytes, and then what the shell says. */
function loudPath(lines: number, then: string): string {
  const bin = join(project.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh
"${process.execPath}" -e '
  let line = 0
  const print = () => {
    while (line < ${lines}) {
      const number = String(line++).padStart(9, "0")
      const text = "\\u001b[32mok\\u001b[0m " + number + " " + "\\u6728".repeat(18) + "...\\n"
      if (!process.stdout.write(text)) return process.stdout.once("drain", print)
    }
  }
  print()'
${then}
`
  writeFileSync(join(bin, 'ls'), script)
  chmodSync(join(bin, 'ls'), 0o755)
  return `${bin}${delimiter}${process.env['PATH']}`
}

/** The rehearsal's child that runs a command, allowed to do so. */
async function allowLoudChild(path: string) {
  const env = { ESPALIER_REHEARSAL_PACE_MS: '2', PATH: path }
  const workbench = await launch({ kind: 'browser', workspace: project.folder, env })
  const { page } = workbench
  const view = windowOf(page)
  await view.newSession()
  await view.send('Look at this folder')
  const approval = page.getByRole('group', { name: 'Approval for Count the parts' }).first()
  await approval.getByRole('button', { name: 'Allow once' }).click({ timeout: 60_000 })
  return { workbench, page, view }
}

test('32 MB that a program printed are there to the last byte, and never all in the page', async () => {
  test.setTimeout(180_000)
  const { page, view } = await allowLoudChild(loudPath(400_000, ''))
  const root = /^Look at this folder, session/
  await view.expand(root)
  const counts = /^Count the parts, continuable, completed/
  await expect(view.row(counts)).toBeVisible({ timeout: 60_000 })
  await view.open(counts)

  const call = view.conversation.getByRole('article', { name: /^Run ls/ }).first()
  await call.getByRole('button').first().press('Enter')
  await expect(call.getByText('ok 000000000')).toBeVisible()
  await call.getByRole('button', { name: 'Show all 32 MB' }).press('Enter')
  const output = call.getByRole('region', { name: /^Output of Run ls/ })
  await expect(output.getByText('ok 000000000')).toBeVisible()

  await output.press('End')
  await expect(output.getByText('ok 000399999')).toBeVisible()
  await output.press('Home')
  await expect(output.getByText('ok 000000000')).toBeVisible()
  const place = call.getByRole('slider', { name: 'Place in the output' })
  await place.fill('14000000')
  await expect(place).toHaveAttribute('aria-valuetext', /^1[34](\.\d)? MB of 32 MB$/)
  const rows = output.locator(':scope > div > div')
  const first = () => rows.first().textContent()
  await expect.poll(first).toMatch(/^ok 00017\d{4} /)
  for (let step = 0; step < 20; step += 1) {
    await output.evaluate(box => box.scrollBy(0, 30_000))
    await page.waitForTimeout(30)
  }
  await expect.poll(first).toMatch(/^ok 000(1[89]|20)\d{4} /)
  expect(await rows.count()).toBeLessThan(100)
  expect((await page.locator('body').textContent())?.length).toBeLessThan(200_000)

  const downloading = page.waitForEvent('download')
  await call.getByRole('button', { name: 'Save…' }).press('Enter')
  const saved = join(project.folder, 'saved.txt')
  await (await downloading).saveAs(saved)
  const expected = createHash('sha256')
  for (let line = 0; line < 400_000; line += 1) {
    expected.update(`\u001b[32mok\u001b[0m ${String(line).padStart(9, '0')} ${'木'.repeat(18)}...\n`)
  }
  expect(createHash('sha256').update(readFileSync(saved)).digest('hex')).toBe(expected.digest('hex'))
})

test('what a program had printed when Espalier was killed is there afterwards', async () => {
  test.setTimeout(180_000)
  const printed = join(project.folder, 'printed')
  const loud = await allowLoudChild(loudPath(20_000, `sleep 2; touch "${printed}"; sleep 15`))
  await expect.poll(() => existsSync(printed), { timeout: 60_000 }).toBe(true)
  await loud.workbench.kill('SIGKILL')
  const page = await loud.workbench.restart()
  const view = windowOf(page)
  await view.expand(/^Look at this folder, session/)
  await view.open(/^Count the parts, continuable, interrupted/)

  const call = view.conversation.getByRole('article', { name: /^Run ls/ }).first()
  await call.getByRole('button').first().press('Enter')
  const kept = call.getByRole('region', { name: /until then$/ })
  await expect(kept.getByText('ok 000000000')).toBeVisible()
  await kept.getByRole('button', { name: 'Show all 1.6 MB' }).press('Enter')
  const output = kept.getByRole('region', { name: /^Output of Run ls/ })
  await output.press('End')
  await expect(output.getByText('ok 000019999')).toBeVisible()
})
