import { useApp } from '../../store/app-context.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './titlebar.module.css'

/** Only where the shell leaves them to the page: a desktop window without a frame of its own. */
export function WindowButtons() {
  const { windowControls } = useApp()
  if (windowControls === null) return null
  return (
    <div className={styles.windowButtons}>
      <IconButton icon="min" label="Minimise" onClick={() => windowControls.minimise()} />
      <IconButton icon="max" label="Maximise" onClick={() => windowControls.toggleMaximise()} />
      <IconButton icon="x" label="Close window" onClick={() => windowControls.close()} />
    </div>
  )
}
