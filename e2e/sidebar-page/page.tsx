import '../../renderer/bridge/no-eval.ts'
import '../../renderer/styles/base.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { createRoot } from 'react-dom/client'
import type { Frame } from '#shared/frames.ts'
import { Sidebar } from '../../renderer/features/sidebar/sidebar.tsx'
import { createFakeHost } from '../../renderer/gallery/fake-host.ts'
import { childId, largeState, rootId } from '../../renderer/gallery/large-state.ts'
import { createWorld } from '../../renderer/gallery/world.ts'
import type { App } from '../../renderer/store/app.ts'
import { AppProvider } from '../../renderer/store/app-context.tsx'
import { applyFrames } from '../../renderer/store/apply-frames.ts'
import { createApp } from '../../renderer/store/create-app.ts'
import { TooltipProvider } from '../../renderer/ui/tooltip.tsx'
import { framesOf } from './streaming.ts'

/** What the spec drives: the real sidebar and the real store, over 5,000 sessions and 50,000 children. */
export interface SidebarControls {
  readonly app: App
  readonly ids: { readonly root: (index: number) => string; readonly child: (index: number) => string }
  tell(...frames: readonly Frame[]): void
  /** A batch every 16 ms of what `sessions` children of the first root do at work. @returns ends it. */
  stream(sessions: number): () => void
}

declare global {
  interface Window {
    sidebar: SidebarControls
  }
}

const { app } = createApp({
  client: createFakeHost(createWorld(Date.now(), [])).client,
  storage: null,
  log: () => {},
  chooseFolder: null,
  windowControls: null,
})
app.store.setState({
  ...largeState({ roots: 5000, children: 50_000, widest: 10_000 }),
  epoch: 1,
  connection: 'open',
})

function tell(...frames: readonly Frame[]): void {
  app.store.setState(state => applyFrames(state, frames), true)
}

function stream(sessions: number): () => void {
  let batch = 0
  const timer = setInterval(() => {
    batch += 1
    tell(...framesOf(sessions, batch))
  }, 16)
  return () => clearInterval(timer)
}

window.sidebar = { app, ids: { root: rootId, child: childId }, tell, stream }

createRoot(document.getElementById('root') as HTMLElement).render(
  <CSPProvider disableStyleElements>
    <TooltipProvider>
      <AppProvider app={app}>
        <div style={{ width: 356, height: '100vh' }}>
          <Sidebar modKey="Ctrl" />
        </div>
      </AppProvider>
    </TooltipProvider>
  </CSPProvider>,
)
