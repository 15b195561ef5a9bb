import { type FormEvent, useRef } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { renameSession } from '../../store/actions.ts'
import { useApp } from '../../store/app-context.tsx'
import { labelOf } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import styles from './palette.module.css'

interface RenameDialogProps {
  readonly sessionId: SessionId | null
  readonly onClose: () => void
}

export function RenameDialog({ sessionId, onClose }: RenameDialogProps) {
  const app = useApp()
  const field = useRef<HTMLInputElement>(null)
  const view = sessionId === null ? null : viewOf(app.store.getState(), sessionId)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const title = field.current?.value.trim() ?? ''
    if (sessionId === null || title === '') return
    if (await renameSession(app, sessionId, title)) onClose()
  }

  return (
    <Dialog open={sessionId !== null} onClose={onClose} title="Rename session" initialFocus={field}>
      <form className={styles.rename} onSubmit={event => void submit(event)}>
        <TextField
          ref={field}
          aria-label="Title"
          maxLength={200}
          defaultValue={view === null ? '' : labelOf(view)}
          onFocus={event => event.target.select()}
        />
        <DialogActions>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary">
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
