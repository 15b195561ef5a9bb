import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'

/** A small project for agents to work in. */
export function makeProject(): { readonly folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-project-')))
  const files = {
    'README.md': '# Larch\n\nA small library.\n\n## Use\n\nRead the parser first.\n',
    'src/parse.ts':
      '// TODO: one pass\nexport function parse(text: string) {\n  return text.split("\\n")\n}\n',
    'src/print.ts': 'export function print(lines: string[]) {\n  return lines.join("\\n")\n}\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The window by the names that people and screen readers use (workbench §7). */
export function windowOf(page: Page) {
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  const tree = page.getByRole('tree', { name: 'Sessions' })
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const message = page.getByRole('textbox', { name: 'Message' })
  // One that waits for the person is listed twice: among "Needs you", and at its place, which comes later.
  const row = (name: string | RegExp): Locator => tree.getByRole('treeitem', { name }).last()
  return {
    tree,
    conversation,
    message,
    row,
    async newSession() {
      await sidebar.getByRole('button', { name: /^New session/ }).click()
      await expect(message).toBeVisible()
    },
    async send(text: string) {
      await message.fill(text)
      await message.press('Enter')
    },
    /** Opens the children of a row with the keyboard, as its arrow would. */
    async expand(name: string | RegExp) {
      const parent = row(name)
      await parent.focus()
      if ((await parent.getAttribute('aria-expanded')) !== 'true') await parent.press('ArrowRight')
      await expect(parent).toHaveAttribute('aria-expanded', 'true')
    },
    async open(name: string | RegExp) {
      await row(name).focus()
      await row(name).press('Enter')
      await expect(conversation.or(page.getByRole('heading', { name: /damaged/i }))).toBeVisible()
    },
  }
}
