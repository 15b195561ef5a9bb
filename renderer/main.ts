import './bridge/no-eval.ts'

import './styles/base.css'
import { runCommand } from './app/commands.ts'
import { type Connection, connect } from './bridge/connection.ts'
import type { App } from './store/app.ts'
import { createApp } from './store/create-app.ts'

const REFUSED = 'connection'

/** The host did not answer so fast: what can be drawn without it is drawn. */
const PATIENCE_MS = 300

async function start(): Promise<void> {
  const root = document.getElementById('root')
  if (root === null) throw new Error('the page has no root')
  const connection = await connect()
  const { app, start: subscribe } = createApp({
    client: connection.client,
    chooseFolder: connection.chooseFolder,
    windowControls: null, // the system's own stand in every window
    storage: storageOf(),
    // biome-ignore lint/suspicious/noConsole: the page's only log; the desktop shell keeps it
    log: (message, detail) => console.warn(message, detail),
    whenOpen: signal => whenOpen(connection, signal),
  })
  const note = () => {
    const state = connection.state()
    if (state.status === 'lost') app.store.setState({ connection: 'lost' })
    if (state.status !== 'refused') return
    const banner = { level: 'alert' as const, text: state.reason }
    app.store.setState(({ banners }) => ({
      connection: 'lost',
      banners: new Map(banners).set(REFUSED, banner),
    }))
  }
  connection.onState(note)
  note()
  connection.onCommand(command => runCommand(app, command))
  subscribe()
  await untilListsAreAsked(app)
  // Most of the page's code is compiled and run while the host reads the lists.
  const { draw } = await import('./app/draw.tsx')
  draw(root, app)
}

function untilListsAreAsked({ store }: App): Promise<void> {
  return new Promise(resolve => {
    const stop = store.subscribe(({ epoch }) => {
      if (epoch > 0) setTimeout(over) // the questions go out first
    })
    const timer = setTimeout(over, PATIENCE_MS)
    function over(): void {
      stop()
      clearTimeout(timer)
      resolve()
    }
  })
}

/** Resolves at once while the line is open, else when it is again. */
function whenOpen(connection: Connection, signal: AbortSignal): Promise<void> {
  if (connection.state().status === 'open') return Promise.resolve()
  return new Promise((resolve, reject) => {
    const stop = connection.onState(state => {
      if (state.status !== 'open') return
      stop()
      resolve()
    })
    signal.addEventListener('abort', () => {
      stop()
      reject(signal.reason)
    })
  })
}

function storageOf(): Storage | null {
  try {
    return window.localStorage
  } catch {
    // A page without storage of its own (a private window with it switched off): preferences are not kept.
    return null
  }
}

void start()
