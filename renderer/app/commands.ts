import { assertNever } from '#shared/errors.ts'
import type { Settings } from '#shared/settings.ts'
import type { WindowCommand } from '#shared/window-command.ts'
import { closeOverlay, newSession, openFolder, openSession, showOverlay } from '../store/actions.ts'
import type { App } from '../store/app.ts'

/** What the page's keys, the desktop shell's menu and deep links ask for. */
export function runCommand(app: App, command: WindowCommand): void {
  switch (command.name) {
    case 'new-session':
      void newSession(app)
      break
    case 'open-folder':
      void openFolder(app)
      break
    case 'open-session':
      openSession(app, command.sessionId)
      break
    case 'import':
      showOverlay(app, { kind: 'settings', page: 'import' })
      break
    case 'settings':
      showOverlay(app, { kind: 'settings', page: 'appearance' })
      break
    case 'command-palette':
      togglePalette(app)
      break
    case 'shortcuts':
      showOverlay(app, { kind: 'shortcuts' })
      break
    case 'find-in-conversation':
      app.store.setState(({ open, findRequest }) => (open === null ? {} : { findRequest: findRequest + 1 }))
      break
    case 'toggle-sidebar':
      app.store.setState(({ sidebarShown }) => ({ sidebarShown: !sidebarShown }))
      break
    case 'toggle-inspector':
      app.store.setState(({ inspectorShown }) => ({ inspectorShown: !inspectorShown }))
      break
    case 'theme-system':
      setTheme(app, 'system')
      break
    case 'theme-light':
      setTheme(app, 'light')
      break
    case 'theme-dark':
      setTheme(app, 'dark')
      break
    default:
      assertNever(command)
  }
}

function togglePalette(app: App): void {
  if (app.store.getState().overlay.kind === 'palette') closeOverlay(app)
  else showOverlay(app, { kind: 'palette' })
}

function setTheme(app: App, theme: Settings['theme']): void {
  app.client.settings.update({ theme }).then(
    settings => app.store.setState({ settings }),
    (error: unknown) => app.report('The theme could not be kept', error),
  )
}
