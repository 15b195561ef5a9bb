import process from 'node:process'
import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { MenuCommand } from '#shared/window-command.ts'

export interface MenuActions {
  command(name: MenuCommand): void
  newWindow(): void
}

type Item = MenuItemConstructorOptions

/** Every action, where people look for actions. What a page must do reaches it as a named command. */
export function buildMenu({ command, newWindow }: MenuActions): Menu {
  /** The page answers these keys itself: here they are shown. On macOS the menu has them first. */
  const item = (label: string, name: MenuCommand, accelerator?: string): Item => ({
    id: name,
    label,
    click: () => command(name),
    ...(accelerator ? { accelerator, registerAccelerator: false } : {}),
  })
  const separator: Item = { type: 'separator' }
  const isMac = process.platform === 'darwin'

  const file: Item = {
    label: '&File',
    submenu: [
      item('New session', 'new-session', 'CmdOrCtrl+N'),
      { id: 'new-window', label: 'New window', accelerator: 'CmdOrCtrl+Shift+N', click: newWindow },
      separator,
      item('Open folder…', 'open-folder', 'CmdOrCtrl+O'),
      item('Import…', 'import'),
      separator,
      ...(isMac ? [] : [item('Settings…', 'settings', 'CmdOrCtrl+,'), separator]),
      { role: 'close' },
      ...(isMac ? [] : [{ role: 'quit' } satisfies Item]),
    ],
  }
  const view: Item = {
    label: '&View',
    submenu: [
      item('Command palette…', 'command-palette', 'CmdOrCtrl+K'),
      item('Search all history…', 'search-all', 'CmdOrCtrl+Shift+F'),
      item('Find in conversation…', 'find-in-conversation', 'CmdOrCtrl+F'),
      separator,
      item('Sidebar', 'toggle-sidebar', 'CmdOrCtrl+B'),
      item('Inspector', 'toggle-inspector', 'CmdOrCtrl+Alt+B'),
      {
        label: 'Theme',
        submenu: [
          item('Follow the system', 'theme-system'),
          item('Light', 'theme-light'),
          item('Dark', 'theme-dark'),
        ],
      },
      separator,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      separator,
      { role: 'reload' },
      { role: 'toggleDevTools' },
    ],
  }
  const about: Item = {
    label: 'Espalier',
    submenu: [
      { role: 'about' },
      separator,
      item('Settings…', 'settings', 'Cmd+,'),
      separator,
      { role: 'services' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  }
  const help: Item = { role: 'help', submenu: [item('Keyboard shortcuts', 'shortcuts', 'Shift+?')] }
  return Menu.buildFromTemplate([
    ...(isMac ? [about] : []),
    file,
    { role: 'editMenu' },
    view,
    { role: 'windowMenu' },
    help,
  ])
}
