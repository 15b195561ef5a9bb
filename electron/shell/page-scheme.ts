import { protocol } from 'electron'
import { createPageFiles } from '../web/page-files.ts'

/** The page comes from a scheme of its own: `file://` would give it the whole disk as its origin. */
const SCHEME = 'app'
export const PAGE_URL = `${SCHEME}://espalier/index.html`

/** Must be called before `ready`. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** Serves the built renderer. Must be called after `ready`, before a window opens. */
export function servePage(folder: string): void {
  const files = createPageFiles(folder)
  protocol.handle(SCHEME, async request => {
    const { host, pathname } = new URL(request.url)
    const { status, headers, body } = await files(request.method, host === 'espalier' ? pathname : '')
    return new Response(body, { status, headers })
  })
}

/** Whether an address is one of the page's own, in the desktop shell or under a development server. */
export function isPageUrl(address: string, pageUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const [asked, own] = [new URL(address), new URL(pageUrl)]
  return asked.protocol === own.protocol && asked.host === own.host
}
