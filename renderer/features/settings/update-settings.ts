import type { App } from '../../store/app.ts'
import type { Client } from '../../store/client.ts'

type Change = Parameters<Client['settings']['update']>[0]

/** Shown once the host kept it, and said when it could not. */
export async function updateSettings(app: App, change: Change): Promise<void> {
  try {
    app.store.setState({ settings: await app.client.settings.update(change) })
  } catch (error) {
    app.report('The setting could not be kept', error)
  }
}
