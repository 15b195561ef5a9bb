import process from 'node:process'
import { Menu, type MenuItemConstructorOptions } from 'electron'
import { COMMAND_KEYS, type MenuCommand } from '#shared/window-command.ts'

export interface MenuActions {
  command(name: MenuCommand): void
  newWindow(): void
}

type Item = MenuItemConstructorOptions

/** Every action, where people look for actions. What a page must do reaches it as a named command. */
export function buildMenu({ command, newWindow }: MenuActions): Menu {
  /** The page answers these keys itself: here they are shown. On macOS the menu has them first. */
  const item = (label: string, name: MenuCommand): Item => {
    const key = COMMAND_KEYS.get(name)
    const shown = key === undefined ? {} : { accelerator: `CmdOrCtrl+${key}`, registerAccelerator: false }
    return { id: name, label, click: () => command(name), ...shown }
  }
  const separator: Item = { type: 'separator' }
  const isMac = process.platform === 'darwin'

  const file: Item = {
    label: '&File',
    submenu: [
      item('New session', 'new-session'),
      { id: 'new-window', label: 'New window', accelerator: 'CmdOrCtrl+Shift+N', click: newWindow },
      separator,
      item('Open folder…', 'open-folder'),
      item('Import…', 'import'),
      separator,
      ...(isMac ? [] : [item('Settings…', 'settings'), separator]),
      { role: 'close' },
      ...(isMac ? [] : [{ role: 'quit' } satisfies Item]),
    ],
  }
  const view: Item = {
    label: '&View',
    submenu: [
      item('Command palette…', 'command-palette'),
      item('Find in conversation…', 'find-in-conversation'),
      separator,
      item('Sidebar', 'toggle-sidebar'),
      item('Inspector', 'toggle-inspector'),
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
      item('Settings…', 'settings'),
      separator,
      { role: 'services' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  }
  const help: Item = { role: 'help', submenu: [item('Keyboard shortcuts', 'shortcuts')] }
  return Menu.buildFromTemplate([
    ...(isMac ? [about] : []),
    file,
    { role: 'editMenu' },
    view,
    { role: 'windowMenu' },
    help,
  ])
}
