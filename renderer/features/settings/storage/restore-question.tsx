import { useEffect, useRef, useState } from 'react'
import type { BackupInfo, Restored } from '#shared/contract/backups.ts'
import { errorText } from '../../../app/error-text.ts'
import { useApp } from '../../../store/app-context.tsx'
import { type Failure, failureOf } from '../../../store/failure.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { formatExact, plural } from '../../../ui/format.ts'
import styles from './storage.module.css'

interface RestoreQuestionProps {
  /** `null`: nothing is asked. */
  readonly name: string | null
  /** What the list says of it, as soon as there is a list. */
  readonly backup: BackupInfo | null
  readonly onClose: () => void
  /** Every connection ends after it: what is shown is read again by itself. */
  readonly onRestored: (restored: Restored) => void
}

/** A restore replaces everything: it says with what, that what is there is kept, and that work would be stopped. */
export function RestoreQuestion({ name, backup, onClose, onRestored }: RestoreQuestionProps) {
  const app = useApp()
  const leave = useRef<HTMLButtonElement>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const isAtWork = failure?.code === 'SESSION_BUSY' || failure?.code === 'WORK_RUNNING'

  // biome-ignore lint/correctness/useExhaustiveDependencies: another question starts anew
  useEffect(() => setFailure(null), [name])

  async function restore(from: string): Promise<void> {
    setBusy(true)
    try {
      onRestored(await app.client.backups.restore({ name: from, ...(isAtWork && { stopWork: true }) }))
    } catch (error) {
      setFailure(failureOf(error))
    } finally {
      setBusy(false)
    }
  }

  const what =
    backup === null
      ? `The backup ${name ?? ''} takes the place of all sessions.`
      : `It is from ${formatExact(backup.at)}${backup.sessions === null ? '' : ` and holds ${plural(backup.sessions, 'session')}`}. It takes the place of all sessions that are there now.`
  return (
    <Dialog
      open={name !== null}
      onClose={() => !busy && onClose()}
      title="Restore this backup?"
      description={`${what} What is there now is kept in the data folder, so this can be undone.`}
      initialFocus={leave}
    >
      {failure !== null && (
        <p className={styles.problem} role="alert">
          {isAtWork
            ? 'Agents are at work. Restoring stops them; what they did so far is in what is kept.'
            : `${errorText(failure.code).what} ${failure.detail}`}
        </p>
      )}
      {busy && <p role="status">Restoring…</p>}
      <DialogActions>
        <Button
          ref={leave}
          variant="quiet"
          disabledReason={busy ? 'it is being restored' : null}
          onClick={onClose}
        >
          Not now
        </Button>
        <Button
          variant={isAtWork ? 'danger' : 'primary'}
          disabledReason={busy ? 'it is being restored' : null}
          onClick={() => name !== null && void restore(name)}
        >
          {isAtWork ? 'Stop them and restore' : 'Restore'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
