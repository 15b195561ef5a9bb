import { openSession, setExpanded } from '../store/actions.ts'
import type { App } from '../store/app.ts'
import type { FakeHostOptions } from './fake-host.ts'
import { outputSpecs } from './fixture-outputs.ts'
import { deepSpecs, mockSpecs, sweepSpecs } from './fixtures.ts'
import { createWorld, type World } from './world.ts'

/** One state of the window, named in the address. */
export interface Scene {
  readonly world: World
  readonly host: FakeHostOptions
  readonly theme: string | null
  readonly contrast: string | null
  /** Label of the session to open; the first root when the scene says nothing else. */
  readonly open: string | null
}

/** `scene`: mock, first-run, sample, sweep, deep, outputs, slow, failing, empty. `open`, `theme`, `contrast` say themselves, `banners` and `trashed` list names; `slow`: ms per page of a log. */
export function readScene(query: URLSearchParams): Scene {
  const scene = namedScene(query)
  const given = (name: string) => query.get(name)?.split(',') ?? []
  return { ...scene, host: { ...scene.host, banners: given('banners'), trashed: given('trashed') } }
}

function namedScene(query: URLSearchParams): Scene {
  const name = query.get('scene') ?? 'mock'
  const now = Date.now()
  const open = query.get('open')
  const shared = { theme: query.get('theme'), contrast: query.get('contrast') }
  switch (name) {
    case 'first-run':
      return { ...shared, world: createWorld(now, []), host: { firstRun: true }, open }
    case 'sample':
      return {
        ...shared,
        world: createWorld(now, mockSpecs().slice(0, 1)),
        host: { firstRun: true },
        open,
      }
    case 'sweep':
      return { ...shared, world: createWorld(now, sweepSpecs()), host: {}, open: open ?? 'Sweep the corpus' }
    case 'deep':
      return { ...shared, world: createWorld(now, deepSpecs(40)), host: {}, open }
    case 'outputs':
      return { ...shared, world: createWorld(now, outputSpecs()), host: {}, open: open ?? 'Print everything' }
    case 'slow':
      return {
        ...shared,
        world: createWorld(now, mockSpecs()),
        host: { slowMs: 60_000 },
        open: open ?? 'Refactor the parser',
      }
    case 'failing':
      return {
        ...shared,
        world: createWorld(now, mockSpecs()),
        host: { failsFor: 'Refactor the parser' },
        open: open ?? 'Refactor the parser',
      }
    case 'unreadable': {
      const world = createWorld(now, mockSpecs())
      world.unreadable.push({ id: '0199aa00-dead-7000-8000-00000badc0de', problem: 'its header is not JSON' })
      return { ...shared, world, host: {}, open }
    }
    default:
      return {
        ...shared,
        world: createWorld(now, mockSpecs()),
        host: { pageMs: Number(query.get('slow') ?? 0) },
        open: open ?? 'Refactor the parser',
      }
  }
}

/** Opens what the scene is about, once the lists are there, as a person would. */
export function prepare(app: App, scene: Scene): void {
  const { theme, contrast } = scene
  if (theme === 'light' || theme === 'dark') void app.client.settings.update({ theme })
  if (contrast === 'more') void app.client.settings.update({ contrast })
  const stop = app.store.subscribe(state => {
    if (state.roots.status !== 'ready') return
    stop()
    if (scene.open === null) return
    const actor = [...scene.world.actors.values()].find(
      ({ label, id }) => label === scene.open || id === scene.open,
    )
    if (actor === undefined) return
    openSession(app, actor.id)
    if (actor.children.length > 0) setExpanded(app, actor.id, true)
    const nested = actor.children.find(id => (scene.world.actors.get(id)?.children.length ?? 0) > 0)
    if (nested !== undefined && scene.open === 'Refactor the parser') setExpanded(app, nested, true)
  })
}
