import { useEffect } from 'react'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { takeBack } from '../../store/put-away.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './banners.module.css'

/** What was just done and can be taken back, with the seconds that are left for it. */
export function UndoToast() {
  const app = useApp()
  const undo = useWorkbench(state => state.undo)
  const now = useNow(undo !== null)
  useEffect(() => {
    if (undo === null) return
    const timer = setTimeout(() => app.store.setState({ undo: null }), undo.until - Date.now())
    return () => clearTimeout(timer)
  }, [app, undo])
  if (undo === null) return null
  const left = Math.max(0, Math.ceil((undo.until - now) / 1000))
  return (
    <div className={styles.toast} role="status">
      <Icon name={undo.what.kind === 'restore' ? 'trash' : 'archive'} />
      <span className={styles.toastText}>{undo.text}</span>
      <button type="button" className={styles.toastAction} onClick={() => void takeBack(app, undo)}>
        Undo
      </button>
      <span className={styles.toastTime} aria-hidden="true">
        {left}s
      </span>
    </div>
  )
}
