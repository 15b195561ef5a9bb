import type { FakeHost } from './fake-host.ts'
import type { fixtureId } from './fixture-ids.ts'
import type { World } from './world.ts'

declare global {
  interface Window {
    /** For tests and the console: the world behind the window and what can be done to it. */
    gallery: { readonly host: FakeHost; readonly world: World; readonly fixtureId: typeof fixtureId }
  }
}
