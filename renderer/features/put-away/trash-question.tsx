import { useRef } from 'react'
import { useApp } from '../../store/app-context.tsx'
import { trashSession } from '../../store/put-away.ts'
import { labelOf } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import type { Overlay } from '../../store/state.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

interface TrashQuestionProps {
  readonly asked: Extract<Overlay, { kind: 'trash-running' }> | null
  readonly onClose: () => void
}

/** Asked only when something runs: nothing at work is thrown away unseen. */
export function TrashQuestion({ asked, onClose }: TrashQuestionProps) {
  const app = useApp()
  const cancel = useRef<HTMLButtonElement>(null)
  const view = asked === null ? null : viewOf(app.store.getState(), asked.sessionId)
  const label = view === null ? 'this session' : labelOf(view)
  return (
    <Dialog
      open={asked !== null}
      onClose={onClose}
      title={`Stop and move ${label} to the trash?`}
      description={`${asked?.running ?? ''} What was done so far is kept and comes back with it.`}
      initialFocus={cancel}
    >
      <DialogActions>
        <Button ref={cancel} variant="quiet" onClick={onClose}>
          Keep it
        </Button>
        <Button
          variant="danger"
          icon="trash"
          onClick={() => {
            onClose()
            if (asked !== null) void trashSession(app, asked.sessionId, true)
          }}
        >
          Stop and move to trash
        </Button>
      </DialogActions>
    </Dialog>
  )
}
