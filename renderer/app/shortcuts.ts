import { useEffect } from 'react'
import { COMMAND_KEYS, type MenuCommand } from '#shared/window-command.ts'
import { goBack, goForward, showOverlay } from '../store/actions.ts'
import type { App } from '../store/app.ts'
import { useApp } from '../store/app-context.tsx'
import { runCommand } from './commands.ts'

export interface Shortcut {
  readonly keys: readonly string[]
  readonly text: string
}

export const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')
export const MOD = IS_MAC ? '⌘' : 'Ctrl'

const commandKeys = (name: MenuCommand) => [MOD, ...(COMMAND_KEYS.get(name) ?? [])]

/** The sheet: everything keys do, by place. */
export const SHORTCUTS: readonly { readonly place: string; readonly items: readonly Shortcut[] }[] = [
  {
    place: 'Everywhere',
    items: [
      { keys: commandKeys('command-palette'), text: 'Command palette' },
      { keys: commandKeys('new-session'), text: 'New session' },
      { keys: commandKeys('open-folder'), text: 'Open a folder' },
      { keys: commandKeys('toggle-sidebar'), text: 'Show or hide the sidebar' },
      { keys: commandKeys('toggle-inspector'), text: 'Show or hide the inspector' },
      { keys: commandKeys('settings'), text: 'Settings' },
      { keys: ['Alt', '←'], text: 'Back to what was open before' },
      { keys: ['Alt', '→'], text: 'Forward again' },
      { keys: ['F6'], text: 'Next pane; with Shift the one before' },
      { keys: ['?'], text: 'This sheet' },
    ],
  },
  {
    place: 'Sessions',
    items: [
      { keys: ['↑', '↓'], text: 'Row above, row below' },
      { keys: ['→'], text: 'Show children, or go to the first' },
      { keys: ['←'], text: 'Hide children, or go to the parent' },
      { keys: ['Home', 'End'], text: 'First row, last row' },
      { keys: ['Enter'], text: 'Open' },
      { keys: ['Space'], text: 'Peek' },
      { keys: ['F2'], text: 'Rename a session' },
      { keys: ['Del'], text: 'Archive a session with its children' },
      { keys: ['Shift', 'Del'], text: 'Move a session with its children to the trash' },
      { keys: ['a … z'], text: 'Go to a row that begins so' },
    ],
  },
  {
    place: 'Conversation',
    items: [
      { keys: ['Enter'], text: 'Send, or queue while it works' },
      { keys: [MOD, 'Enter'], text: 'Steer into the running turn' },
      { keys: commandKeys('find-in-conversation'), text: 'Find in conversation' },
      { keys: ['Alt', 'A'], text: 'Allow once' },
      { keys: ['Alt', 'D'], text: 'Deny' },
    ],
  },
]

/** The keys that work everywhere. A key that was taken by what has the focus is left alone. */
export function useShortcuts(): void {
  const app = useApp()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const action = actionOf(app, event)
      if (action === null) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [app])
}

function actionOf(app: App, event: KeyboardEvent): (() => void) | null {
  const mod = IS_MAC ? event.metaKey : event.ctrlKey
  if (event.altKey && !mod && !isText(event.target)) {
    if (event.key === 'ArrowLeft') return () => goBack(app)
    if (event.key === 'ArrowRight') return () => goForward(app)
    return null
  }
  if (!mod)
    return event.key === '?' && !isText(event.target) ? () => showOverlay(app, { kind: 'shortcuts' }) : null
  if (event.shiftKey || event.altKey) return null
  const key = event.key.toUpperCase()
  const [name] = [...COMMAND_KEYS].find(([, own]) => own === key) ?? []
  return name === undefined ? null : () => runCommand(app, { name })
}

function isText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input, textarea, select')
}
