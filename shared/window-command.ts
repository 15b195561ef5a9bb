import { z } from 'zod'
import { sessionIdSchema } from './session/ids.ts'

/** What the menu of the desktop shell may ask of a page. The page's own keys do the same. */
export const MENU_COMMANDS = [
  'new-session',
  'open-folder',
  'import',
  'settings',
  'command-palette',
  'find-in-conversation',
  'toggle-sidebar',
  'toggle-inspector',
  'theme-system',
  'theme-light',
  'theme-dark',
  'shortcuts',
] as const
export type MenuCommand = (typeof MENU_COMMANDS)[number]

/** With Ctrl, or ⌘ on macOS: the menu shows them, the page answers them. */
export const COMMAND_KEYS: ReadonlyMap<MenuCommand, string> = new Map([
  ['command-palette', 'K'],
  ['new-session', 'N'],
  ['open-folder', 'O'],
  ['find-in-conversation', 'F'],
  ['toggle-sidebar', 'B'],
  ['toggle-inspector', 'I'],
  ['settings', ','],
])

export const windowCommandSchema = z.discriminatedUnion('name', [
  z.object({ name: z.enum(MENU_COMMANDS) }),
  /** From a deep link: navigates, starts nothing. The id is well-formed; whether there is such a session is not known. */
  z.object({ name: z.literal('open-session'), sessionId: sessionIdSchema }),
])
export type WindowCommand = z.infer<typeof windowCommandSchema>
