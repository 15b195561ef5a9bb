import '../../renderer/bridge/no-eval.ts'
import '../../renderer/styles/base.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { SessionId } from '#shared/session/ids.ts'
import { Approval } from '../../renderer/features/approvals/approval.tsx'
import { Composer } from '../../renderer/features/composer/composer.tsx'
import { Conversation } from '../../renderer/features/conversation/conversation.tsx'
import { createFakeHost, type FakeHost } from '../../renderer/gallery/fake-host.ts'
import { createWorld, type World } from '../../renderer/gallery/world.ts'
import { openSession } from '../../renderer/store/actions.ts'
import type { App } from '../../renderer/store/app.ts'
import { AppProvider, useWorkbench } from '../../renderer/store/app-context.tsx'
import { createApp } from '../../renderer/store/create-app.ts'
import { TooltipProvider } from '../../renderer/ui/tooltip.tsx'
import { pageSpecs } from './specs.ts'

/** What the spec drives: the world behind the page, and the page's own store. */
export interface PageControls {
  readonly world: World
  readonly host: FakeHost
  readonly app: App
  open(label: string): void
}

declare global {
  interface Window {
    controls: PageControls
  }
}

const world = createWorld(Date.now(), pageSpecs())
const host = createFakeHost(world)
const { app, start } = createApp({
  client: host.client,
  storage: null,
  log: () => {},
  chooseFolder: null,
  windowControls: null,
})

function idOf(label: string): SessionId {
  const actor = [...world.actors.values()].find(one => one.label === label)
  if (actor === undefined) throw new Error(`no session ${label}`)
  return actor.id
}

window.controls = { world, host, app, open: label => openSession(app, idOf(label)) }
const asked = new URLSearchParams(location.search)
document.documentElement.dataset['theme'] = asked.get('theme') ?? 'light'

function Page() {
  const open = useWorkbench(state => state.open)
  if (open === null) return null
  return (
    <main style={{ height: '100vh', display: 'flex', flexDirection: 'column', paddingTop: 40 }}>
      <Conversation
        key={open}
        sessionId={open}
        renderApproval={row => <Approval pending={row.pending} position={row.position} total={row.total} />}
      />
      <Composer key={`composer-${open}`} sessionId={open} />
    </main>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <TooltipProvider>
        <AppProvider app={app}>
          <Page />
        </AppProvider>
      </TooltipProvider>
    </CSPProvider>
  </StrictMode>,
)
start()
openSession(app, idOf(asked.get('open') ?? 'Refactor the parser'))
