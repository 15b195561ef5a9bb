import { app, type BrowserWindow, dialog, ipcMain } from 'electron'
import { WINDOW_CHANNELS } from '#shared/window-api.ts'
import type { Log } from '../log.ts'

/** A page that answers none of this many pings in a row hangs: together less than 10 seconds. */
const MISSED_PINGS = 3
const PING_MS = 2_500
/** More crashes than this within a minute, and the person decides. */
const CRASHES_A_MINUTE = 3

/** What fails outside the page is logged; agents live in this process and go on. Before `ready`. */
export function surviveHelpers(log: Log): void {
  // Chromium gives up, and takes the workbench with it, after a few crashes of the process that draws.
  app.commandLine.appendSwitch('disable-gpu-process-crash-limit')
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    log.error(`The ${type} process is gone: ${reason} (${exitCode})`)
  })
}

/** A page that crashes or hangs is loaded again within 10 seconds. */
export function recoverWindow(window: BrowserWindow, log: Log): void {
  const contents = window.webContents
  const crashes: number[] = []
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    log.error(`The page is gone: ${reason} (${exitCode})`)
    const now = performance.now()
    crashes.push(now)
    if (crashes.filter(time => now - time < 60_000).length <= CRASHES_A_MINUTE) contents.reload()
    else void askBeforeReload(window)
  })
  window.on('unresponsive', () => log.warn('The page does not react.'))
  watchPulse(window, log)
}

/** Only while someone looks at it: an idle workbench wakes for nothing. */
function watchPulse(window: BrowserWindow, log: Log) {
  const contents = window.webContents
  let missed = 0
  let timer: NodeJS.Timeout | undefined
  // Pings are counted, not timed: a machine that slept has not missed any.
  const ping = () => {
    if (contents.isDevToolsOpened() || contents.isLoadingMainFrame() || contents.isCrashed()) missed = 0
    else if (missed >= MISSED_PINGS) {
      missed = 0
      log.error('The page hangs; it is loaded again.')
      contents.forcefullyCrashRenderer() // its end brings the reload
      return
    }
    missed += 1
    contents.send(WINDOW_CHANNELS.ping)
  }
  const pong = (event: Electron.IpcMainEvent) => {
    if (event.sender === contents) missed = 0
  }
  const stop = () => clearInterval(timer)
  const start = () => {
    stop()
    missed = 0
    timer = setInterval(ping, PING_MS)
  }
  ipcMain.on(WINDOW_CHANNELS.pong, pong)
  window.on('focus', start)
  window.on('blur', stop)
  window.on('hide', stop)
  window.on('minimize', stop)
  window.on('closed', () => {
    stop()
    ipcMain.off(WINDOW_CHANNELS.pong, pong)
  })
}

async function askBeforeReload(window: BrowserWindow) {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: 'The window keeps failing.',
    detail: 'Your agents are still running. The log in the data folder says more.',
    buttons: ['Load it again', 'Leave it'],
  })
  if (response === 0 && !window.isDestroyed()) window.webContents.reload()
}
