import type { BrowserWindow, WebContents } from 'electron'
import type { SessionId } from '#shared/session/ids.ts'
import { WINDOW_CHANNELS } from '#shared/window-api.ts'
import type { WindowCommand } from '#shared/window-command.ts'

/** The windows of this shell, and the way commands reach their pages. */
export class WindowKeeper {
  readonly #windows = new Map<WebContents, BrowserWindow>()
  readonly #listening = new Set<WebContents>()
  #waiting: WindowCommand | null = null
  readonly #open: () => BrowserWindow

  /** `open` makes and loads one window. */
  constructor(open: () => BrowserWindow) {
    this.#open = open
  }

  /** Brings a window to the front. Where there is none it opens one, which shows itself once it has something to show. */
  show(): BrowserWindow {
    const window = this.current()
    if (!window) return this.add()
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    return window
  }

  /** Opens one more. */
  add(): BrowserWindow {
    return this.#add(this.#open())
  }

  /** Navigates only. A page that does not listen yet gets the last one asked for, once it does. */
  showSession(sessionId: SessionId): void {
    this.show()
    this.send({ name: 'open-session', sessionId })
  }

  /** To the window in front; one is opened where there is none, since macOS keeps the menu. */
  send(command: WindowCommand): void {
    const window = this.current() ?? this.add()
    if (this.#listening.has(window.webContents)) window.webContents.send(WINDOW_CHANNELS.command, command)
    else this.#waiting = command
  }

  /** The page of `contents` takes commands from here on. */
  listens(contents: WebContents): void {
    this.#listening.add(contents)
    if (!this.#waiting || this.current()?.webContents !== contents) return
    contents.send(WINDOW_CHANNELS.command, this.#waiting)
    this.#waiting = null
  }

  owns(contents: WebContents): boolean {
    return this.#windows.has(contents)
  }

  windowOf(contents: WebContents): BrowserWindow | undefined {
    return this.#windows.get(contents)
  }

  current(): BrowserWindow | undefined {
    const windows = [...this.#windows.values()]
    return windows.find(window => window.isFocused()) ?? windows.at(-1)
  }

  #add(window: BrowserWindow): BrowserWindow {
    const contents = window.webContents
    this.#windows.set(contents, window)
    // A page that is loaded again has to subscribe again.
    contents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) this.#listening.delete(contents)
    })
    window.on('closed', () => {
      this.#windows.delete(contents)
      this.#listening.delete(contents)
    })
    return window
  }
}
