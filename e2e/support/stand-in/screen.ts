import type { BrowserContext, Page, Route } from '@playwright/test'
import { realUrl, type ServedResponse, SHOWN_ORIGIN, shownUrl, type ToScreen } from './messages.ts'
import { Outbox, openScreenPage } from './screen-page.ts'
import type { ShellLink } from './shell-link.ts'

interface Shown {
  readonly page: Page
  readonly outbox: Outbox
}

/** Chromium as the screen of a shell that runs on the stand-in for Electron. */
export class Screen {
  readonly #context: BrowserContext
  readonly #link: ShellLink
  readonly #shown = new Map<number, Shown>()
  readonly #preloads = new Map<number, string | null>()
  readonly #urls = new Map<number, string>()
  /** Pages whose next navigation the shell asked for. */
  readonly #sent = new Set<Page>()
  /** Closed by us: the shell knows, or is told otherwise. */
  readonly #quiet = new Set<Page>()
  /** Everything the shell showed a person or gave the system, in order. */
  readonly seen: { readonly what: string; readonly value: unknown }[] = []
  /** Addresses outside the page that something asked for. Nothing is ever fetched. */
  readonly foreign: string[] = []
  #work: Promise<void> = Promise.resolve()

  constructor(context: BrowserContext, link: ShellLink) {
    this.#context = context
    this.#link = link
  }

  async start(): Promise<void> {
    await this.#context.route('**/*', route => this.#route(route))
    this.#context.on('page', page => void this.#closePopup(page))
    this.#link.tell({ kind: 'ready' })
  }

  /** Whether some window has shown its page. */
  hasLoaded = false

  /** The page of the window opened last. */
  page(): Page | undefined {
    return [...this.#shown.values()].at(-1)?.page
  }

  pages(): readonly Page[] {
    return [...this.#shown.values()].map(({ page }) => page)
  }

  /** Messages are handled in order; those for a page's script wait for the page, not for each other. */
  hear(message: ToScreen): void {
    if (message.kind === 'seen') {
      this.seen.push(message)
      return
    }
    if (message.kind === 'send' || message.kind === 'port' || message.kind === 'port-closed') {
      this.#shown.get(message.window)?.outbox.put(message)
      return
    }
    this.#work = this.#work
      .then(() => this.#do(message))
      .catch((error: unknown) => {
        if (this.#context.browser()?.isConnected())
          this.seen.push({ what: 'screen-failure', value: String(error) })
      })
  }

  async #do(message: ToScreen): Promise<void> {
    if (message.kind === 'open') {
      this.#preloads.set(message.window, message.preload)
      await this.#open(message.window)
    }
    if (message.kind === 'load') {
      this.#urls.set(message.window, message.url)
      void this.#load(message.window)
    }
    if (message.kind === 'reload') await this.#reload(message.window)
    if (message.kind === 'focus') await this.#shown.get(message.window)?.page.bringToFront()
    if (message.kind === 'close') await this.#drop(message.window)
    if (message.kind === 'crash') {
      // A page that hangs cannot be made to crash from outside: it is taken away, which comes to the same.
      await this.#drop(message.window)
      this.#link.tell({ kind: 'crashed', window: message.window })
    }
  }

  async #open(window: number): Promise<void> {
    const preload = this.#preloads.get(window) ?? null
    const page = await openScreenPage({ context: this.#context, window, preload, link: this.#link })
    page.on('crash', () => this.#link.tell({ kind: 'crashed', window }))
    page.on('close', () => {
      if (this.#quiet.delete(page)) return
      this.#shown.delete(window)
      this.#link.tell({ kind: 'closed', window })
    })
    this.#shown.set(window, { page, outbox: new Outbox(page) })
  }

  async #load(window: number): Promise<void> {
    const page = this.#shown.get(window)?.page
    const url = this.#urls.get(window)
    if (!page || !url) return
    this.#sent.add(page)
    await page.goto(shownUrl(url)).catch(() => {}) // closed meanwhile: there is nothing to say
    this.hasLoaded = true
    this.#link.tell({ kind: 'loaded', window })
  }

  /** Playwright can do nothing more with a page that crashed, so a new one takes its place. */
  async #reload(window: number): Promise<void> {
    await this.#drop(window)
    await this.#open(window)
    void this.#load(window)
  }

  async #drop(window: number): Promise<void> {
    const page = this.#shown.get(window)?.page
    this.#shown.delete(window)
    if (!page) return
    this.#quiet.add(page)
    await page.close()
  }

  async #route(route: Route): Promise<void> {
    const request = route.request()
    const url = request.url()
    const frame = request.isNavigationRequest() ? frameOf(route) : null
    const window = frame ? this.#windowOf(frame.page()) : undefined
    if (request.isNavigationRequest() && window === undefined) {
      await this.#link.call({
        kind: 'open-window',
        window: [...this.#shown.keys()].at(-1) ?? 0,
        url: realUrl(url),
      })
      return route.abort('aborted')
    }
    if (frame && window !== undefined && !this.#sent.delete(frame.page())) {
      const isMainFrame = frame.parentFrame() === null
      if (!(await this.#link.call({ kind: 'navigate', window, url: realUrl(url), isMainFrame }))) {
        return route.abort('aborted')
      }
    }
    if (!url.startsWith(`${SHOWN_ORIGIN}/`)) {
      this.foreign.push(url)
      return route.abort()
    }
    const { status, headers, base64 } = asResponse(
      await this.#link.call({ kind: 'request', url, method: request.method() }),
    )
    await route.fulfill({ status, headers: { ...headers }, body: Buffer.from(base64, 'base64') })
  }

  #windowOf(page: Page): number | undefined {
    return [...this.#shown].find(([, shown]) => shown.page === page)?.[0]
  }

  async #closePopup(page: Page): Promise<void> {
    if ((await page.opener()) !== null) await page.close()
  }
}

/** `null` for a tab that does not exist yet: a page asked for a new window. */
function frameOf(route: Route) {
  try {
    return route.request().frame()
  } catch {
    return null
  }
}

function asResponse(value: unknown): ServedResponse {
  return value as ServedResponse // made by our own `protocol.handle`, on the other side of the channel
}
