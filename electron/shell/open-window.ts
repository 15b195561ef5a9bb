import process from 'node:process'
import { BrowserWindow, nativeTheme, screen } from 'electron'
import type { Log } from '../log.ts'
import type { WindowStateFile } from './window-state.ts'

export interface OpenWindowOptions {
  /** The built preload. */
  readonly preload: string
  readonly pageUrl: string
  readonly state: WindowStateFile
  readonly log: Log
}

/** One window that shows the page, where the last one was. Shown when it has something to show. */
export function openWindow({ preload, pageUrl, state, log }: OpenWindowOptions): BrowserWindow {
  const { maximized, place, width, height } = state.read(
    screen.getAllDisplays().map(display => display.workArea),
  )
  const window = new BrowserWindow({
    ...place,
    width,
    height,
    minWidth: 480,
    minHeight: 360,
    show: false,
    title: 'Espalier',
    // The system's own frame everywhere; on macOS without its bar, whose lights stand in the page's (base.css).
    titleBarStyle: process.platform === 'darwin' ? 'hiddenInset' : 'default',
    trafficLightPosition: { x: 14, y: 13 },
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#131416' : '#ffffff',
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
      spellcheck: true,
    },
  })
  if (maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () => {
    const { x, y, width, height } = window.getNormalBounds()
    void state.write({ place: { x, y }, width, height, maximized: window.isMaximized() })
  })
  window.loadURL(pageUrl).catch((error: unknown) => log.error('The page did not load', error))
  return window
}
