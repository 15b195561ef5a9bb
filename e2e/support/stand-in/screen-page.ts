import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { BrowserContext, Frame, Page } from '@playwright/test'
import type { FrameFacts } from './messages.ts'
import type { ShellLink } from './shell-link.ts'

const RUNTIME = readFileSync(new URL('./preload-runtime.js', import.meta.url), 'utf8')

type FromPage =
  | { readonly kind: 'document' }
  | { readonly kind: 'port'; readonly port: number; readonly data: unknown }
  | { readonly kind: 'port-closed'; readonly port: number }
  | {
      readonly kind: 'ipc'
      readonly channel: string
      readonly args: readonly unknown[]
      readonly ports: readonly number[]
    }
  | { readonly kind: 'invoke'; readonly channel: string; readonly args: readonly unknown[] }

declare global {
  interface Window {
    __standInHear(messages: readonly unknown[]): void
  }
}

export interface ScreenPageOptions {
  readonly context: BrowserContext
  readonly window: number
  readonly preload: string | null
  readonly link: ShellLink
}

/** A tab with the preload in it, connected to the shell. */
export async function openScreenPage({ context, window, preload, link }: ScreenPageOptions): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', error => link.heard({ kind: 'seen', what: 'page-error', value: String(error.stack) }))
  await page.exposeBinding('__standInTell', ({ frame }, message: FromPage) => {
    if (message.kind === 'document') return link.tell({ kind: 'document', window })
    if (message.kind === 'ipc') return link.tell({ ...message, window, frame: factsOf(frame) })
    if (message.kind === 'invoke') return link.call({ ...message, window, frame: factsOf(frame) })
    return link.tell({ ...message, window })
  })
  const runtime = RUNTIME.replace('PLATFORM', process.platform).replace('PRELOAD_SOURCE', () => preload ?? '')
  await page.addInitScript({ content: runtime })
  return page
}

function factsOf(frame: Frame): FrameFacts {
  return { url: frame.url(), isMainFrame: frame.parentFrame() === null }
}

/** Hands messages to the page in order. What a page that is gone does not take is lost, as it would be in Electron. */
export class Outbox {
  readonly #page: Page
  #waiting: unknown[] = []
  #busy = false

  constructor(page: Page) {
    this.#page = page
  }

  put(message: unknown): void {
    this.#waiting.push(message)
    if (!this.#busy) void this.#flush()
  }

  async #flush() {
    this.#busy = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#page.evaluate(messages => window.__standInHear(messages), batch).catch(() => {}) // navigated or closed
    }
    this.#busy = false
  }
}
