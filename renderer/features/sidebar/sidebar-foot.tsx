import { clsx } from 'clsx'
import { showOverlay } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './sidebar.module.css'

/** Where the agents run, and how many of them. */
export function SidebarFoot({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const app = useApp()
  const host = useWorkbench(state => state.host)
  const connection = useWorkbench(state => state.connection)
  const refused = useWorkbench(state => state.banners.has('connection'))
  return (
    <div className={styles.foot}>
      <Icon name="host" />
      <span className={clsx(connection === 'lost' && styles.lost)}>
        {connection !== 'lost' ? 'This computer' : refused ? 'Not connected' : 'Reconnecting…'}
      </span>
      {host !== null && connection === 'open' && (
        <span
          className={styles.running}
          title="Running children of all sessions, and the limit for each session"
        >
          {host.running > host.runningLimit ? host.running : `${host.running} of ${host.runningLimit}`}{' '}
          running
        </span>
      )}
      <span className={styles.footTools}>
        <IconButton icon="help" label="Shortcuts" keys={['?']} onClick={onShortcuts} />
        <IconButton
          icon="gear"
          label="Settings"
          keys={['Ctrl', ',']}
          onClick={() => showOverlay(app, { kind: 'settings', page: 'appearance' })}
        />
      </span>
    </div>
  )
}
