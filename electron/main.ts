import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { app, dialog, Menu, session } from 'electron'
import { resolveDataFolder } from './data-folder.ts'
import { createFileLog } from './file-log.ts'
import { openHostSocket } from './host-socket.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { silentLog } from './log.ts'
import { openWorkbench } from './open-workbench.ts'
import { createPeerHost } from './rpc/transport/peer.ts'
import { parseDesktopArguments } from './shell/arguments.ts'
import { DEEP_LINK_SCHEME, parseDeepLink } from './shell/deep-link.ts'
import { denyPermissions, guardContents } from './shell/guard-contents.ts'
import { openKeychain } from './shell/keychain.ts'
import { buildMenu } from './shell/menu.ts'
import { openWindow } from './shell/open-window.ts'
import { PAGE_URL, registerPageScheme, servePage } from './shell/page-scheme.ts'
import { quitWhenFlushed } from './shell/quit.ts'
import { recoverWindow, surviveHelpers } from './shell/recover-windows.ts'
import { serveWindows } from './shell/serve-windows.ts'
import { pointToTheOther } from './shell/single-instance.ts'
import { BackgroundTray } from './shell/tray.ts'
import { WindowKeeper } from './shell/window-keeper.ts'
import { createWindowStateFile } from './shell/window-state.ts'
import { startProblem } from './start-problem.ts'
import { type Lock, type LockResult, takeLock } from './store/lock.ts'
import { builtPageFolder, builtPreload } from './web/built-page.ts'

app.setName('Espalier')
// Memory stays flat while agents work; see `scripts/packaged-node.mjs`.
app.commandLine.appendSwitch(
  'js-flags',
  '--max-semi-space-size=4 --heap-growing-percent=40 --no-allocation-site-pretenuring',
)
const args = parseDesktopArguments(process.argv.slice(1), process.cwd())
const dataFolder = resolveDataFolder({ home: args.home })
const result = tryLock()
if (result === null) {
  app.exit(1)
} else if (result.kind === 'held') {
  app.setPath('userData', join(dataFolder, 'shell'))
  pointToTheOther(dataFolder, result.host)
  app.exit(1)
} else {
  runDesktopShell(result.kind === 'taken' ? result.lock : null)
}

/** Whatever is wrong with the data folder is said in words, before there is a window. */
function tryLock(): LockResult | null {
  try {
    return takeLock(dataFolder)
  } catch (error) {
    dialog.showErrorBox('Espalier did not start', startProblem(error, dataFolder))
    return null
  }
}

/** Without a lock nothing can be written to the data folder: its sessions are only shown. */
function runDesktopShell(lock: Lock | null) {
  const viewOnly = lock === null
  // Chromium's own files, the place of the window, encrypted keys
  const folder = viewOnly ? mkdtempSync(join(tmpdir(), 'espalier-shell-')) : join(dataFolder, 'shell')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  app.setPath('userData', folder)
  app.requestSingleInstanceLock() // ours, since the data folder is: from now on others hand us their arguments
  const known = createKnownSecrets(process.env)
  const log = viewOnly ? silentLog : createFileLog(dataFolder, 'desktop-shell', known.values)
  process.on('unhandledRejection', error => log.error('A failure that nobody handled', error))
  process.on('uncaughtException', error => log.error('A failure that nobody caught', error))

  // Before `ready`.
  const pageUrl = developmentServer() ?? PAGE_URL
  registerPageScheme()
  guardContents(pageUrl, log)
  surviveHelpers(log)

  const windows = new WindowKeeper(() => {
    const window = openWindow({ preload: builtPreload(), pageUrl, state, log })
    recoverWindow(window, log)
    tray.vanish()
    return window
  })
  const state = createWindowStateFile(join(folder, 'window.json'), log)
  const tray = new BackgroundTray(() => windows.show())

  const workbench = app.whenReady().then(() => {
    const secrets = openKeychain(folder, log)
    known.add(secrets.known)
    return openWorkbench({
      shell: 'desktop',
      dataFolder,
      viewOnly,
      workspace: args.workspace,
      secrets: { ...secrets, known: known.values },
      log,
    })
  })
  const peers = workbench.then(({ router, onReplaced }) => {
    const host = createPeerHost(router, log)
    onReplaced(next => host.serve(next, 'The sessions were replaced by a backup.'))
    return host
  })
  const local = peers.then(host => openHostSocket({ peers: host, dataFolder, viewOnly, log }))
  const served = serveWindows({ windows, pageUrl, peers, log })

  const quit = quitWhenFlushed({
    running: async () => (await workbench).running(),
    close: async () => {
      served.close()
      await (await local).close()
      await (await workbench).close()
      lock?.release()
    },
    log,
  })
  process.on('SIGINT', quit.now)
  process.on('SIGTERM', quit.now)

  app.on('second-instance', (_event, argv, cwd) => {
    const { open } = parseDesktopArguments(argv.slice(1), cwd)
    if (open) windows.showSession(open)
    else windows.show()
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const open = parseDeepLink(url)
    if (open) app.whenReady().then(() => windows.showSession(open))
  })
  app.on('activate', () => windows.show())
  app.on('window-all-closed', async () => {
    if (process.platform === 'darwin') return
    const working = await (await workbench).running()
    if (working.length > 0) tray.appear()
    else app.quit()
  })
  if (app.isPackaged) app.setAsDefaultProtocolClient(DEEP_LINK_SCHEME)

  const start = async () => {
    await app.whenReady()
    denyPermissions(session.defaultSession)
    servePage(builtPageFolder())
    Menu.setApplicationMenu(
      buildMenu({ command: name => windows.send({ name }), newWindow: () => windows.add() }),
    )
    // The window opens while the store does: the page's port waits for it.
    if (args.open) windows.showSession(args.open)
    else windows.show()
    const reachable = await local
    reachable.announce('desktop', null)
    log.info('Ready')
  }
  start().catch((error: unknown) => {
    log.error('Espalier did not start', error)
    dialog.showErrorBox('Espalier did not start', startProblem(error, dataFolder))
    app.exit(1)
  })
}

/** Where electron-vite serves the page while it is being worked on. Never in a packaged Espalier. */
function developmentServer(): string | undefined {
  return app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL'] || undefined
}
