import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { WindowButtons } from '../../ui/window-buttons.tsx'
import { Crumbs } from './crumbs.tsx'
import { Descendants } from './descendants.tsx'
import { SessionMenu } from './session-menu.tsx'
import styles from './titlebar.module.css'

interface CentreBarProps {
  readonly sessionId: SessionId | null
  readonly showsSidebarButton: boolean
  readonly showsInspectorButton: boolean
  readonly isRightmost: boolean
}

/** The middle of the title bar: where one is, what runs below it, and what can be done with it. */
export function CentreBar({
  sessionId,
  showsSidebarButton,
  showsInspectorButton,
  isRightmost,
}: CentreBarProps) {
  const app = useApp()
  const find = useWorkbench(state => state.findRequest)
  return (
    <div className={styles.bar}>
      {showsSidebarButton && (
        <IconButton
          icon="panelLeft"
          label="Show sidebar"
          onClick={() => app.store.setState({ sidebarShown: true })}
          className={styles.leading}
        />
      )}
      {sessionId !== null && <Crumbs sessionId={sessionId} />}
      {sessionId !== null && <Descendants sessionId={sessionId} />}
      <span className={styles.spacer} />
      {sessionId !== null && (
        <>
          <IconButton
            icon="search"
            label="Find in conversation"
            keys={['Ctrl', 'F']}
            onClick={() => app.store.setState({ findRequest: find + 1 })}
          />
          <SessionMenu sessionId={sessionId} />
        </>
      )}
      {showsInspectorButton && (
        <IconButton
          icon="panelRight"
          label="Show inspector"
          onClick={() => app.store.setState({ inspectorShown: true })}
        />
      )}
      {isRightmost && app.windowControls !== null && <WindowButtons {...app.windowControls} />}
    </div>
  )
}
