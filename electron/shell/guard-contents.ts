import { app, type Session, shell, type WebContents } from 'electron'
import type { Log } from '../log.ts'
import { externalTarget } from './external-link.ts'
import { isPageUrl } from './page-scheme.ts'

/**
 * What no page may do, whatever it shows: leave, open windows, embed others, or use a device. Applies to every
 * WebContents there will ever be. Call it before a window opens.
 */
export function guardContents(pageUrl: string, log: Log): void {
  app.on('web-contents-created', (_event, contents) => guard(contents, pageUrl, log))
}

/** Permission requests and checks are denied, except writing to the clipboard, which *Copy* needs. */
export function denyPermissions(session: Session): void {
  const allowed = (permission: string) => permission === 'clipboard-sanitized-write'
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(allowed(permission)))
  session.setPermissionCheckHandler((_contents, permission) => allowed(permission))
  session.setDevicePermissionHandler(() => false)
}

function guard(contents: WebContents, pageUrl: string, log: Log) {
  contents.on('will-attach-webview', event => event.preventDefault())
  contents.on('will-frame-navigate', event => {
    // A reload of the page itself is no way out.
    if (event.isMainFrame && isPageUrl(event.url, pageUrl)) return
    event.preventDefault()
    log.warn(`A page tried to leave for ${schemeOf(event.url)}`)
  })
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url, log)
    return { action: 'deny' }
  })
}

function openOutside(address: string, log: Log) {
  const target = externalTarget(address)
  if (target === null) return log.warn(`A link was not opened: ${schemeOf(address)}`)
  shell.openExternal(target).catch((error: unknown) => log.error('The system did not open a link', error))
}

/** Not the whole address: it may carry what the person reads. */
function schemeOf(address: string) {
  return URL.canParse(address) ? new URL(address).protocol : 'no address'
}
