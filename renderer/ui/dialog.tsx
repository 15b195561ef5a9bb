import { Dialog as Base } from '@base-ui/react/dialog'
import { clsx } from 'clsx'
import type { ReactNode, RefObject } from 'react'
import styles from './dialog.module.css'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  /** The accessible name; drawn as a heading unless `hideTitle`. */
  readonly title: string
  readonly hideTitle?: boolean
  readonly description?: string
  readonly className?: string | undefined
  readonly initialFocus?: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/** Modal. Escape and a press outside close it; focus goes back to where it was. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, hideTitle = false, description, className, initialFocus, children } = props
  return (
    <Base.Root open={open} onOpenChange={next => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.scrim} forceRender />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup className={clsx(styles.popup, className)} {...(initialFocus && { initialFocus })}>
            <Base.Title className={hideTitle ? styles.hidden : styles.title}>{title}</Base.Title>
            {description !== undefined && (
              <Base.Description className={styles.description}>{description}</Base.Description>
            )}
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
