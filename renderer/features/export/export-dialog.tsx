import { useEffect, useRef, useState } from 'react'
import type { ExportFormat } from '#shared/contract/export-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { errorText } from '../../app/error-text.ts'
import { useApp } from '../../store/app-context.tsx'
import { type Failure, failureOf } from '../../store/failure.ts'
import { labelOf } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { offerFile } from '../../ui/offer-file.ts'
import { type ExportChoice, ExportChoices } from './export-choices.tsx'
import styles from './export-dialog.module.css'
import { type ExportProgress, readExport } from './read-export.ts'

interface ExportDialogProps {
  readonly sessionId: SessionId | null
  readonly onClose: () => void
}

export function ExportDialog({ sessionId, onClose }: ExportDialogProps) {
  const app = useApp()
  const view = sessionId === null ? null : viewOf(app.store.getState(), sessionId)
  const label = view === null ? 'session' : labelOf(view)
  return (
    <Dialog open={sessionId !== null} onClose={onClose} title={`Export ${label}`} className={styles.dialog}>
      {sessionId !== null && <ExportForm key={sessionId} sessionId={sessionId} onClose={onClose} />}
    </Dialog>
  )
}

type Run =
  | { readonly kind: 'choosing'; readonly failure: Failure | null }
  | { readonly kind: 'running'; readonly progress: ExportProgress | null }

/** Closing it, however, ends an export that is running. */
function ExportForm({ sessionId, onClose }: { readonly sessionId: SessionId; readonly onClose: () => void }) {
  const app = useApp()
  const [choice, setChoice] = useState<ExportChoice>({
    format: 'md' satisfies ExportFormat,
    tree: true,
    redact: true,
  })
  const [run, setRun] = useState<Run>({ kind: 'choosing', failure: null })
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])

  async function start(): Promise<void> {
    const running = new AbortController()
    abort.current = running
    setRun({ kind: 'running', progress: null })
    const { format, tree, redact } = choice
    const onProgress = (progress: ExportProgress) => setRun({ kind: 'running', progress })
    try {
      const request = { sessionId, format, tree, raw: !redact }
      const { content, name } = await readExport(app.client, request, onProgress, running.signal)
      offerFile(content, name)
      onClose()
    } catch (error) {
      if (!running.signal.aborted) setRun({ kind: 'choosing', failure: failureOf(error) })
    }
  }

  const isRunning = run.kind === 'running'
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        if (!isRunning) void start()
      }}
    >
      <ExportChoices choice={choice} onChange={setChoice} isFixed={isRunning} />
      {isRunning && <Progress progress={run.progress} />}
      {run.kind === 'choosing' && run.failure !== null && <Problem failure={run.failure} />}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabledReason={isRunning ? 'the export is running' : null}>
          Export
        </Button>
      </DialogActions>
    </form>
  )
}

function Progress({ progress }: { readonly progress: ExportProgress | null }) {
  const { events = 0, total = 0 } = progress ?? {}
  return (
    <div className={styles.progress} role="status">
      <progress aria-label="Export" {...(progress !== null && { value: events, max: Math.max(1, total) })} />
      <span>
        {progress === null ? 'Reading…' : `${events.toLocaleString()} of ${total.toLocaleString()} events`}
      </span>
    </div>
  )
}

function Problem({ failure }: { readonly failure: Failure }) {
  const { what, todo } = errorText(failure.code)
  return (
    <p className={styles.problem} role="alert">
      Nothing was exported. {what} {todo}
    </p>
  )
}
