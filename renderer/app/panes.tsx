import { useEffect, useRef } from 'react'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { Inspector } from '../features/inspector/inspector.tsx'
import { Sidebar } from '../features/sidebar/sidebar.tsx'
import { useApp, useWorkbench } from '../store/app-context.tsx'
import { selectOpen } from '../store/selectors.ts'
import { Centre } from './centre.tsx'
import { MOD } from './shortcuts.ts'
import { useHeldOpen } from './use-held-open.ts'
import { useMedia } from './use-media.ts'
import styles from './workbench.module.css'

const SIDEBAR = { defaultSize: 356, minSize: 260, maxSize: 520 }
const NARROW_SIDEBAR = { defaultSize: 312, minSize: 260, maxSize: 400 }
const INSPECTOR = { defaultSize: 392, minSize: 320, maxSize: '50%' }

/** Three resizable panes. Without room the inspector lies over the others as a drawer, then the sidebar too. */
export function Panes() {
  const app = useApp()
  const narrow = useMedia('(max-width: 1180px)')
  const small = useMedia('(max-width: 860px)')
  const sidebarShown = useWorkbench(state => state.sidebarShown)
  const open = useWorkbench(selectOpen)
  const { shown, holds } = useHeldOpen(open)
  // With nothing open there is nothing to inspect.
  const inspectorShown = useWorkbench(state => state.inspectorShown) && shown !== null

  // A drawer over the work is opened by the person, never by a window that became narrow.
  useEffect(() => {
    if (narrow) app.store.setState({ inspectorShown: false })
  }, [app, narrow])
  useEffect(() => {
    app.store.setState({ sidebarShown: !small })
  }, [app, small])

  // What was looked for in the drawer is found: it would lie over it.
  const lastOpen = useRef(open)
  useEffect(() => {
    if (small && lastOpen.current !== open) app.store.setState({ sidebarShown: false })
    lastOpen.current = open
  }, [app, small, open])

  const sidebarPane = sidebarShown && !small
  const inspectorPane = inspectorShown && !narrow
  const panelIds = [...(sidebarPane ? ['sidebar'] : []), 'centre', ...(inspectorPane ? ['inspector'] : [])]
  const layout = useDefaultLayout({
    id: narrow ? 'espalier.panes.narrow' : 'espalier.panes',
    panelIds,
    onlySaveAfterUserInteractions: true,
  })
  return (
    <>
      <Group
        key={narrow ? 'narrow' : 'wide'}
        orientation="horizontal"
        className={styles.panes}
        {...layout}
        resizeTargetMinimumSize={{ coarse: 20, fine: 8 }}
      >
        {sidebarPane && (
          <>
            <Panel
              id="sidebar"
              {...(narrow ? NARROW_SIDEBAR : SIDEBAR)}
              groupResizeBehavior="preserve-pixel-size"
              className={styles.sidebarPane}
            >
              <Sidebar modKey={MOD} />
            </Panel>
            <Separator className={styles.handle} aria-label="Width of the sidebar" />
          </>
        )}
        <Panel id="centre" minSize={narrow ? 320 : 480}>
          <Centre
            open={shown}
            holds={holds}
            showsSidebarButton={!sidebarPane}
            showsInspectorButton={!inspectorPane && shown !== null}
            isRightmost={!inspectorPane}
          />
        </Panel>
        {inspectorPane && (
          <>
            <Separator className={styles.handle} aria-label="Width of the inspector" />
            <Panel
              id="inspector"
              {...INSPECTOR}
              groupResizeBehavior="preserve-pixel-size"
              className={styles.inspectorPane}
            >
              <Inspector isDrawer={false} />
            </Panel>
          </>
        )}
      </Group>
      {small && sidebarShown && (
        <Drawer side="left" onClose={() => app.store.setState({ sidebarShown: false })}>
          <Sidebar modKey={MOD} />
        </Drawer>
      )}
      {narrow && inspectorShown && (
        <Drawer side="right" onClose={() => app.store.setState({ inspectorShown: false })}>
          <Inspector isDrawer />
        </Drawer>
      )}
    </>
  )
}

interface DrawerProps {
  readonly side: 'left' | 'right'
  readonly onClose: () => void
  readonly children: React.ReactNode
}

function Drawer({ side, onClose, children }: DrawerProps) {
  return (
    <>
      <button
        type="button"
        className={styles.veil}
        aria-label="Close the drawer"
        tabIndex={-1}
        onClick={onClose}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what lies over the work */}
      <div
        className={`${styles.drawer} ${side === 'left' ? styles.drawerLeft : styles.drawerRight}`}
        onKeyDown={event => event.key === 'Escape' && onClose()}
      >
        {children}
      </div>
    </>
  )
}
