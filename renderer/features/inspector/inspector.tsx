import { useDeferredValue } from 'react'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { projectionOf } from '../../store/projections.ts'
import type { InspectorTab } from '../../store/state.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { WindowButtons } from '../../ui/window-buttons.tsx'
import { ChangesTab } from './changes-tab.tsx'
import { DiagnosticsTab } from './diagnostics-tab.tsx'
import styles from './inspector.module.css'
import { InspectorTabs } from './inspector-tabs.tsx'
import { LogTab } from './log-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { TasksTab } from './tasks-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'

/** What is known of the open session, by what one wants to know of it. */
export function Inspector({ isDrawer }: { readonly isDrawer: boolean }) {
  const app = useApp()
  // Nobody who opened something looks here first: the conversation is drawn before it.
  const sessionId = useDeferredValue(useWorkbench(state => state.open))
  const isDue = useDeferredValue(true, false)
  const tab = useWorkbench(state => state.inspectorTab)
  const changed = useWorkbench(state =>
    sessionId === null ? 0 : (projectionOf(state.live.get(sessionId), 'files')?.length ?? 0),
  )
  return (
    <aside className={styles.inspector} aria-label="Inspector">
      <h2 className={styles.heading}>Inspector</h2>
      <div className={styles.bar}>
        <IconButton
          icon="panelRight"
          label="Hide inspector"
          onClick={() => app.store.setState({ inspectorShown: false })}
        />
        <span className={styles.spacer} />
        {!isDrawer && app.windowControls !== null && <WindowButtons {...app.windowControls} />}
      </div>
      <InspectorTabs
        tab={tab}
        changed={changed}
        onSelect={next => app.store.setState({ inspectorTab: next })}
      />
      <div
        role="tabpanel"
        id="inspector-panel"
        aria-labelledby={`inspector-${tab}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls has to be reached by keys
        tabIndex={0}
        className={styles.panel}
      >
        {sessionId === null ? (
          <EmptyState icon="panelRight" title="Nothing is open">
            Open a session to see what it did, changed and cost.
          </EmptyState>
        ) : (
          isDue && <Tab tab={tab} sessionId={sessionId} />
        )}
      </div>
    </aside>
  )
}

function Tab({
  tab,
  sessionId,
}: {
  readonly tab: InspectorTab
  readonly sessionId: Parameters<typeof OverviewTab>[0]['sessionId']
}) {
  switch (tab) {
    case 'overview':
      return <OverviewTab sessionId={sessionId} />
    case 'timeline':
      return <TimelineTab sessionId={sessionId} />
    case 'changes':
      return <ChangesTab sessionId={sessionId} />
    case 'tasks':
      return <TasksTab sessionId={sessionId} />
    case 'log':
      return <LogTab key={sessionId} sessionId={sessionId} />
    case 'diagnostics':
      return <DiagnosticsTab sessionId={sessionId} />
  }
}
