import { IconButton } from './icon-button.tsx'
import styles from './window-buttons.module.css'

interface WindowButtonsProps {
  readonly onMinimise: () => void
  readonly onMaximise: () => void
  readonly onClose: () => void
}

/** For a desktop window without a frame of its own. */
export function WindowButtons({ onMinimise, onMaximise, onClose }: WindowButtonsProps) {
  return (
    <div className={styles.buttons}>
      <IconButton icon="min" label="Minimise" onClick={onMinimise} />
      <IconButton icon="max" label="Maximise" onClick={onMaximise} />
      <IconButton icon="x" label="Close window" onClick={onClose} />
    </div>
  )
}
