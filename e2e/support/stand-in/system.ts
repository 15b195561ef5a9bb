import { answer, hear, tell } from './link.ts'
import { realUrl, type ServedResponse } from './messages.ts'

/** What Electron gets from the system: dialogs, menus, the keychain, links, schemes. Everything shown is told to the test. */

const dialogAnswers: unknown[] = []
hear('next-dialog', ({ value }) => dialogAnswers.push(value))

/** The last argument: the first may be the window. */
function show<T>(what: string, args: readonly unknown[], dismissed: T): Promise<T> {
  tell({ kind: 'seen', what, value: args.at(-1) })
  const next = dialogAnswers.shift()
  return Promise.resolve(next === undefined ? dismissed : Object.assign({}, dismissed, next))
}

export const dialog = {
  showOpenDialog: (...args: readonly unknown[]) =>
    show('open-dialog', args, { canceled: true, filePaths: [] as readonly string[] }),
  showMessageBox: (...args: readonly unknown[]) => show('message-box', args, { response: 0 }),
  showErrorBox: (title: string, content: string) =>
    tell({ kind: 'seen', what: 'error-box', value: { title, content } }),
}

interface Item {
  readonly id?: string
  readonly label?: string
  readonly role?: string
  readonly click?: () => void
  readonly submenu?: readonly Item[] | Menu
}

export class Menu {
  static #application: Menu | null = null
  readonly items: readonly Item[]
  constructor(items: readonly Item[]) {
    this.items = items
  }
  static buildFromTemplate(items: readonly Item[]): Menu {
    return new Menu(items)
  }
  static setApplicationMenu(menu: Menu): void {
    Menu.#application = menu
    tell({ kind: 'seen', what: 'menu', value: menu.labels() })
  }
  static click(id: string): void {
    const item = Menu.#application?.flat().find(candidate => candidate.id === id)
    if (!item?.click) throw new Error(`The menu has no item ${id}`)
    item.click()
  }
  flat(): readonly Item[] {
    return this.items.flatMap(item => {
      const { submenu } = item
      if (!submenu) return [item]
      return [item, ...(submenu instanceof Menu ? submenu : new Menu(submenu)).flat()]
    })
  }
  labels(): readonly string[] {
    return this.flat().flatMap(item => item.label ?? item.role ?? [])
  }
}
hear('menu', ({ id }) => Menu.click(id))

export class Tray {
  constructor() {
    tell({ kind: 'seen', what: 'tray', value: 'shown' })
  }
  setToolTip(): void {}
  setContextMenu(): void {}
  on(): void {}
  destroy(): void {
    tell({ kind: 'seen', what: 'tray', value: 'gone' })
  }
}

export const nativeImage = { createFromBitmap: () => ({}) }
export const nativeTheme = { shouldUseDarkColors: false }
export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
}

export const safeStorage = {
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => 'gnome_libsecret',
  encryptString: (text: string) => Buffer.from([...Buffer.from(text)].map(byte => byte ^ 0x5a)),
  decryptString: (bytes: Buffer) => Buffer.from([...bytes].map(byte => byte ^ 0x5a)).toString(),
}

export const shell = {
  openExternal: async (url: string) => tell({ kind: 'seen', what: 'external', value: url }),
}

const defaultSession = {
  setPermissionRequestHandler: (
    handler: (contents: unknown, permission: string, answer: (yes: boolean) => void) => void,
  ) => {
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal']) {
      handler(null, permission, yes => tell({ kind: 'seen', what: 'permission', value: { permission, yes } }))
    }
  },
  setPermissionCheckHandler: () => {},
  setDevicePermissionHandler: () => {},
}
export const session = { defaultSession }

type SchemeHandler = (request: Request) => Promise<Response>
const schemes = new Set<string>()
const handlers = new Map<string, SchemeHandler>()

export const protocol = {
  registerSchemesAsPrivileged(wanted: readonly { readonly scheme: string }[]): void {
    for (const { scheme } of wanted) schemes.add(scheme)
  },
  handle(scheme: string, handler: SchemeHandler): void {
    if (!schemes.has(scheme)) throw new Error(`${scheme} was not registered before ready`)
    handlers.set(scheme, handler)
  },
}

hear('request', ({ call, url, method }) => {
  answer(call, async (): Promise<ServedResponse> => {
    const real = realUrl(url)
    const handler = handlers.get(real.slice(0, real.indexOf(':')))
    if (!handler) throw new Error(`Nothing serves ${real}`)
    const response = await handler(new Request(real, { method }))
    const base64 = Buffer.from(await response.arrayBuffer()).toString('base64')
    return { status: response.status, headers: Object.fromEntries(response.headers), base64 }
  })
})
