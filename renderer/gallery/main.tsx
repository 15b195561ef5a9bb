import '../bridge/no-eval.ts'

import { createRoot } from 'react-dom/client'
import '../styles/base.css'
import { Workbench } from '../app/workbench.tsx'
import { createApp } from '../store/create-app.ts'
import { createFakeHost } from './fake-host.ts'
import { fixtureId } from './fixture-ids.ts'
import { prepare, readScene } from './scenes.ts'
import './window-gallery.ts'

/** `gallery.html?scene=mock&theme=dark`: the whole window over a host in memory. See `scenes.ts`. */
function start(): void {
  const scene = readScene(new URLSearchParams(location.search))
  const host = createFakeHost(scene.world, scene.host)
  const { app, start: subscribe } = createApp({
    client: host.client,
    storage: null,
    chooseFolder: null,
    windowControls: { onMinimise: nothing, onMaximise: nothing, onClose: nothing },
    log: () => {},
  })
  window.gallery = { host, world: scene.world, fixtureId }
  const root = document.getElementById('root')
  if (root === null) throw new Error('the page has no root')
  createRoot(root).render(<Workbench app={app} />)
  subscribe()
  prepare(app, scene)
}

function nothing(): void {}

start()
