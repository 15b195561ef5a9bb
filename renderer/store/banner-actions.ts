import type { BannerAction } from '#shared/banner.ts'
import { openSession, showOverlay } from './actions.ts'
import type { App } from './app.ts'

/** What the button of a banner does. What cannot be undone is asked about where it leads. */
export function runBannerAction(app: App, bannerId: string, action: BannerAction): void {
  switch (action.call) {
    case 'restore-backup':
      showOverlay(app, { kind: 'settings', page: 'storage', restore: action.name })
      break
    case 'open-storage':
      showOverlay(app, { kind: 'settings', page: 'storage' })
      break
    case 'open-diagnostics':
      openSession(app, action.sessionId)
      app.store.setState({ inspectorShown: true, inspectorTab: 'diagnostics' })
      break
    case 'retry':
      app.client.banners
        .retry({ bannerId })
        .catch((error: unknown) => app.report('It still does not work', error))
      break
  }
}

export function dismissBanner(app: App, bannerId: string): void {
  app.client.banners
    .dismiss({ bannerId })
    .catch((error: unknown) => app.report('The notice could not be put away', error))
}
