import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { app, PreventableEvent } from './app.ts'
import { answer, type Heard, hear, tell } from './link.ts'
import { realUrl } from './messages.ts'
import { endPorts } from './ports.ts'

type OpenHandler = (details: { url: string; frameName: string }) => { action: 'allow' | 'deny' }

export class StandInFrame {
  url: string
  constructor(url: string) {
    this.url = url
  }
}

export class StandInContents extends EventEmitter {
  readonly id: number
  readonly mainFrame = new StandInFrame('about:blank')
  openHandler: OpenHandler = () => ({ action: 'allow' })
  crashed = false
  loading = false
  destroyed = false

  constructor(id: number) {
    super()
    this.id = id
  }
  send(channel: string, ...args: readonly unknown[]): void {
    if (this.destroyed) throw new TypeError('Object has been destroyed')
    tell({ kind: 'send', window: this.id, channel, args })
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }
  reload(): void {
    this.crashed = false
    this.loading = true
    tell({ kind: 'reload', window: this.id })
  }
  forcefullyCrashRenderer(): void {
    tell({ kind: 'crash', window: this.id })
  }
  isDevToolsOpened(): boolean {
    return false
  }
  isLoadingMainFrame(): boolean {
    return this.loading
  }
  isCrashed(): boolean {
    return this.crashed
  }
}

const windows = new Map<number, BrowserWindow>()
let lastId = 0

export class BrowserWindow extends EventEmitter {
  readonly id: number
  readonly webContents: StandInContents
  #focused = false
  #loaded: (() => void) | null = null

  constructor(options: { readonly webPreferences?: Readonly<Record<string, unknown>> } = {}) {
    super()
    const preferences = options.webPreferences ?? {}
    for (const [name, wanted] of Object.entries(SAFE)) {
      if (preferences[name] !== wanted)
        throw new Error(`webPreferences.${name} is ${preferences[name]}, not ${wanted}`)
    }
    lastId += 1
    this.id = lastId
    this.webContents = new StandInContents(this.id)
    windows.set(this.id, this)
    const preload = preferences['preload']
    tell({
      kind: 'open',
      window: this.id,
      preload: typeof preload === 'string' ? readFileSync(preload, 'utf8') : null,
    })
    app.emit('web-contents-created', new PreventableEvent(), this.webContents)
  }

  loadURL(url: string): Promise<void> {
    this.webContents.mainFrame.url = url
    this.webContents.loading = true
    return new Promise(resolve => {
      this.#loaded = resolve
      tell({ kind: 'load', window: this.id, url })
    })
  }
  show(): void {
    this.focus()
  }
  focus(): void {
    if (!windows.has(this.id)) throw new TypeError('Object has been destroyed')
    tell({ kind: 'focus', window: this.id })
    for (const other of windows.values()) if (other !== this) other.blur()
    if (this.#focused) return
    this.#focused = true
    this.emit('focus')
  }
  blur(): void {
    if (!this.#focused) return
    this.#focused = false
    this.emit('blur')
  }
  close(): void {
    this.emit('close', new PreventableEvent())
    tell({ kind: 'close', window: this.id })
    this.gone()
  }
  isFocused(): boolean {
    return this.#focused
  }
  isMinimized(): boolean {
    return false
  }
  restore(): void {}
  maximize(): void {}
  isMaximized(): boolean {
    return false
  }
  isDestroyed(): boolean {
    return this.webContents.destroyed
  }
  getNormalBounds() {
    return { x: 10, y: 20, width: 1200, height: 800 }
  }

  finishedLoading(): void {
    this.webContents.loading = false
    this.#loaded?.()
    if (this.#loaded) this.emit('ready-to-show')
    this.#loaded = null
    this.webContents.emit('did-finish-load')
  }
  gone(): void {
    if (!windows.delete(this.id)) return
    endPorts(this.id)
    this.webContents.destroyed = true
    this.emit('closed')
    if (windows.size === 0) app.emit('window-all-closed')
  }
}

/** The stand-in opens no window that a real Electron would open unsafely. */
const SAFE = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  webSecurity: true,
}

export function windowById(id: number): BrowserWindow | undefined {
  return windows.get(id)
}

app.closeWindows = () => {
  for (const window of windows.values()) tell({ kind: 'close', window: window.id })
}

hear('loaded', ({ window }) => windows.get(window)?.finishedLoading())
hear('closed', ({ window }) => {
  const closing = windows.get(window)
  closing?.emit('close', new PreventableEvent())
  closing?.gone()
})
hear('focused', ({ window }) => windows.get(window)?.focus())
hear('document', ({ window }) => {
  endPorts(window)
  windows.get(window)?.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false })
})
hear('crashed', ({ window }) => {
  const contents = windows.get(window)?.webContents
  if (!contents) return
  contents.crashed = true
  endPorts(window)
  contents.emit('render-process-gone', new PreventableEvent(), { reason: 'crashed', exitCode: 5 })
})
hear('navigate', (message: Heard<'navigate'>) => {
  answer(message.call, () => {
    const event = Object.assign(new PreventableEvent(), {
      url: realUrl(message.url),
      isMainFrame: message.isMainFrame,
    })
    windows.get(message.window)?.webContents.emit('will-frame-navigate', event)
    return !event.defaultPrevented
  })
})
hear('open-window', ({ call, window, url }) => {
  answer(
    call,
    () => windows.get(window)?.webContents.openHandler({ url: realUrl(url), frameName: '' }).action,
  )
})
