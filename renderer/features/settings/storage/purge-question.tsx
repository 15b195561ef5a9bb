import { useRef } from 'react'
import type { TrashedTree } from '#shared/contract/storage-shapes.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { formatBytes, plural } from '../../../ui/format.ts'

interface PurgeQuestionProps {
  /** `null`: nothing is asked. */
  readonly tree: TrashedTree | null
  readonly label: string
  readonly bytes: number | undefined
  /** That the trash has promised to keep it still. */
  readonly daysLeft: number
  readonly onClose: () => void
  readonly onPurge: (tree: TrashedTree) => void
}

/** The one thing that cannot be undone says how much it takes, and is never the button that Enter presses. */
export function PurgeQuestion({ tree, label, bytes, daysLeft, onClose, onPurge }: PurgeQuestionProps) {
  const keep = useRef<HTMLButtonElement>(null)
  const amount = [
    plural(tree?.sessions ?? 0, 'session'),
    ...(bytes === undefined ? [] : [formatBytes(bytes)]),
  ].join(', ')
  const early = daysLeft > 0 ? ` The trash would keep it ${plural(daysLeft, 'more day', 'more days')}.` : ''
  return (
    <Dialog
      open={tree !== null}
      onClose={onClose}
      title={`Delete ${label} for good?`}
      description={`${amount}. This cannot be undone.${early} Backups made before may still hold it.`}
      initialFocus={keep}
    >
      <DialogActions>
        <Button ref={keep} variant="quiet" onClick={onClose}>
          Keep it
        </Button>
        <Button variant="danger" icon="trash" onClick={() => tree !== null && onPurge(tree)}>
          Delete for good
        </Button>
      </DialogActions>
    </Dialog>
  )
}
