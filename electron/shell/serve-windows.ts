import { ipcMain } from 'electron'
import { WINDOW_CHANNELS } from '#shared/window-api.ts'
import type { Log } from '../log.ts'
import { servePort } from '../rpc/transport/message-port.ts'
import type { PeerHost } from '../rpc/transport/peer.ts'
import { chooseFolder } from './choose-folder.ts'
import { isPageUrl } from './page-scheme.ts'
import type { WindowKeeper } from './window-keeper.ts'

export interface ServeWindowsOptions {
  readonly windows: WindowKeeper
  readonly pageUrl: string
  /** Ports that come earlier wait for it. */
  readonly peers: Promise<PeerHost>
  readonly log: Log
}

/** Answers the preload. Must be called before a window opens. The result ends every connection. */
export function serveWindows({ windows, pageUrl, peers, log }: ServeWindowsOptions): { close(): void } {
  const open = new Set<{ close(): void }>()

  /** The page itself, in its window's main frame: not a frame in it, not what it may have become. */
  const isPage = ({ sender, senderFrame }: Electron.IpcMainEvent | Electron.IpcMainInvokeEvent) => {
    const trusted =
      senderFrame !== null &&
      senderFrame === sender.mainFrame &&
      isPageUrl(senderFrame.url, pageUrl) &&
      windows.owns(sender)
    if (!trusted) log.warn('A message from a stranger was refused.')
    return trusted
  }

  ipcMain.on(WINDOW_CHANNELS.port, event => {
    const [port, ...more] = event.ports
    if (!port || more.length > 0 || !isPage(event)) {
      for (const unwanted of event.ports) unwanted.close()
      return
    }
    peers.then(
      host => {
        const connection = servePort(host, port)
        open.add(connection)
        port.on('close', () => open.delete(connection))
      },
      () => port.close(), // the workbench did not start; who started it says why
    )
  })
  ipcMain.on(WINDOW_CHANNELS.listening, event => {
    if (isPage(event)) windows.listens(event.sender)
  })
  ipcMain.handle(WINDOW_CHANNELS.chooseFolder, event => {
    if (!isPage(event)) throw new Error('Refused.')
    return chooseFolder(windows.windowOf(event.sender))
  })

  return {
    close() {
      for (const connection of open) connection.close()
    },
  }
}
