import { showOverlay } from '../../store/actions.ts'
import { useApp } from '../../store/app-context.tsx'
import type { SettingsPage } from '../../store/state.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { AboutPage } from './about-page.tsx'
import { AppearancePage } from './appearance-page.tsx'
import { ImportPage } from './import-page.tsx'
import { KeyboardPage, type Places } from './keyboard-page.tsx'
import { LimitsPage } from './limits-page.tsx'
import { PermissionsPage } from './permissions-page.tsx'
import { ProvidersPage } from './providers-page.tsx'
import styles from './settings.module.css'
import { StoragePage } from './storage/storage-page.tsx'

const PAGES: Readonly<Record<SettingsPage, string>> = {
  appearance: 'Appearance',
  providers: 'Providers',
  permissions: 'Permissions',
  limits: 'Limits',
  import: 'Import',
  keyboard: 'Keyboard',
  storage: 'Storage',
  about: 'About',
}

interface SettingsDialogProps {
  /** `null`: closed. */
  readonly page: SettingsPage | null
  /** The backup that the storage page asks about. */
  readonly restore: string | null
  readonly onClose: () => void
  readonly places: Places
}

export function SettingsDialog({ page, restore, onClose, places }: SettingsDialogProps) {
  const app = useApp()
  return (
    <Dialog open={page !== null} onClose={onClose} title="Settings" hideTitle className={styles.dialog}>
      <div className={styles.settings}>
        <nav className={styles.nav} aria-label="Settings">
          <h2>Settings</h2>
          {(Object.keys(PAGES) as SettingsPage[]).map(key => (
            <button
              key={key}
              type="button"
              className={key === page ? `${styles.navItem} ${styles.on}` : styles.navItem}
              {...(key === page && { 'aria-current': 'page' as const })}
              onClick={() => showOverlay(app, { kind: 'settings', page: key })}
            >
              {PAGES[key]}
            </button>
          ))}
        </nav>
        <div className={styles.main}>
          <IconButton icon="x" label="Close settings" className={styles.close} onClick={onClose} />
          {page !== null && <Page page={page} restore={restore} places={places} />}
        </div>
      </div>
    </Dialog>
  )
}

interface PageProps {
  readonly page: SettingsPage
  readonly restore: string | null
  readonly places: Places
}

function Page({ page, restore, places }: PageProps) {
  switch (page) {
    case 'appearance':
      return <AppearancePage />
    case 'providers':
      return <ProvidersPage />
    case 'permissions':
      return <PermissionsPage />
    case 'limits':
      return <LimitsPage />
    case 'import':
      return <ImportPage />
    case 'keyboard':
      return <KeyboardPage places={places} />
    case 'storage':
      return <StoragePage restore={restore} />
    case 'about':
      return <AboutPage />
  }
}
