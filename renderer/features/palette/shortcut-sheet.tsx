import { Dialog } from '../../ui/dialog.tsx'
import { Keys } from '../../ui/kbd.tsx'
import styles from './palette.module.css'

interface Place {
  readonly place: string
  readonly items: readonly { readonly keys: readonly string[]; readonly text: string }[]
}

interface ShortcutSheetProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly places: readonly Place[]
}

export function ShortcutSheet({ open, onClose, places }: ShortcutSheetProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" className={styles.sheet}>
      <div className={styles.places}>
        {places.map(({ place, items }) => (
          <section key={place} aria-label={place}>
            <h3>{place}</h3>
            {items.map(({ keys, text }) => (
              <div key={text} className={styles.shortcut}>
                <span>{text}</span>
                <Keys keys={keys} />
              </div>
            ))}
          </section>
        ))}
      </div>
    </Dialog>
  )
}
