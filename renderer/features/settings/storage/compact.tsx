import { useRef, useState } from 'react'
import type { StorageUsage } from '#shared/contract/storage-shapes.ts'
import { useApp } from '../../../store/app-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { formatBytes } from '../../../ui/format.ts'
import styles from './storage.module.css'

/** Below this, compacting is not worth that everything waits for it. */
const LITTLE = 1_000_000

type Run = { readonly kind: 'idle' | 'asked' | 'running' } | { readonly kind: 'done'; readonly freed: number }

interface CompactProps {
  readonly usage: StorageUsage
  readonly onChanged: () => void
}

export function Compact({ usage, onChanged }: CompactProps) {
  const app = useApp()
  const leave = useRef<HTMLButtonElement>(null)
  const [run, setRun] = useState<Run>({ kind: 'idle' })
  const { free, sessions, trash, index } = usage.parts
  const needed = 2 * (free + sessions + trash + index)

  async function compact(): Promise<void> {
    setRun({ kind: 'running' })
    try {
      const { before, after } = await app.client.storage.compact()
      setRun({ kind: 'done', freed: Math.max(0, before - after) })
    } catch (error) {
      setRun({ kind: 'idle' })
      app.report('The database could not be compacted', error)
    } finally {
      onChanged()
    }
  }

  const reason =
    run.kind === 'running'
      ? 'it is being done'
      : free < LITTLE
        ? 'there is next to nothing to give back'
        : usage.diskFree < needed
          ? `it needs ${formatBytes(needed)} of free space on the disk`
          : null
  return (
    <section className={styles.section} aria-label="Unused space">
      <h3>Unused space</h3>
      <div className={styles.line}>
        <p className={styles.note} role="status">
          {words(run, free)}
        </p>
        <Button size="small" disabledReason={reason} onClick={() => setRun({ kind: 'asked' })}>
          Compact…
        </Button>
      </div>
      <Dialog
        open={run.kind === 'asked'}
        onClose={() => setRun({ kind: 'idle' })}
        title="Compact the database?"
        description={`It gives about ${formatBytes(free)} back to the disk. Meanwhile it needs up to ${formatBytes(needed)}, and nothing can be opened or saved until it is done.`}
        initialFocus={leave}
      >
        <DialogActions>
          <Button ref={leave} variant="quiet" onClick={() => setRun({ kind: 'idle' })}>
            Not now
          </Button>
          <Button variant="primary" onClick={() => void compact()}>
            Compact
          </Button>
        </DialogActions>
      </Dialog>
    </section>
  )
}

function words(run: Run, free: number): string {
  if (run.kind === 'running') return 'Compacting…'
  if (run.kind === 'done') return `${formatBytes(run.freed)} were given back.`
  if (free < LITTLE) return 'The database is as small as it gets.'
  return `${formatBytes(free)} of the database hold nothing.`
}
