import { useState } from 'react'
import type { BackupInfo, Restored } from '#shared/contract/backups.ts'
import { errorText } from '../../../app/error-text.ts'
import { useApp, useWorkbench } from '../../../store/app-context.tsx'
import { useNow } from '../../../store/clock.ts'
import { useCall } from '../../../store/use-call.ts'
import { Button } from '../../../ui/button.tsx'
import { formatBytes, formatExact, formatTime, plural } from '../../../ui/format.ts'
import { RestoreQuestion } from './restore-question.tsx'
import styles from './storage.module.css'

interface BackupListProps {
  /** Asked about from the start: a banner led here. */
  readonly restore: string | null
  readonly onChanged: () => void
}

export function BackupList({ restore, onChanged }: BackupListProps) {
  const app = useApp()
  const epoch = useWorkbench(({ epoch: current }) => current)
  const now = useNow(false)
  const listed = useCall(`backups\n${epoch}`, signal => app.client.backups.list(undefined, { signal }))
  const [asked, setAsked] = useState<string | null>(restore)
  const [making, setMaking] = useState(false)
  const [done, setDone] = useState<string | null>(null)
  const backups = listed.status === 'ready' ? listed.value.backups : []

  async function create(): Promise<void> {
    setMaking(true)
    setDone(null)
    try {
      await app.client.backups.create()
    } catch (error) {
      app.report('The backup could not be made', error)
    } finally {
      setMaking(false)
      listed.retry()
      onChanged()
    }
  }

  return (
    <section className={styles.section} aria-label="Backups">
      <h3>Backups</h3>
      <div className={styles.line}>
        <p className={styles.note} role="status">
          {making ? 'Making a backup…' : (done ?? listedWords(listed.status, backups.length))}
        </p>
        <Button
          size="small"
          disabledReason={making ? 'a backup is being made' : null}
          onClick={() => void create()}
        >
          Back up now
        </Button>
      </div>
      {listed.status === 'failed' && (
        <p className={styles.problem} role="alert">
          {errorText(listed.failure.code).what} {listed.failure.detail}
        </p>
      )}
      {backups.length > 0 && (
        <ul className={styles.list}>
          {backups.map(backup => (
            <li key={backup.name} className={styles.backup}>
              <span className={styles.twoLines}>
                <b title={formatExact(backup.at)}>{formatTime(backup.at, now)}</b>
                <small title={backup.name}>
                  {REASONS[backup.reason]} · {contents(backup)}
                </small>
              </span>
              <Button
                size="small"
                aria-label={`Restore the backup of ${formatTime(backup.at, now)}, ${REASONS[backup.reason].toLowerCase()}…`}
                disabledReason={backup.sessions === null ? 'this backup cannot be read' : null}
                onClick={() => setAsked(backup.name)}
              >
                Restore…
              </Button>
            </li>
          ))}
        </ul>
      )}
      <RestoreQuestion
        name={asked}
        backup={backups.find(({ name }) => name === asked) ?? null}
        onClose={() => setAsked(null)}
        onRestored={restored => {
          setAsked(null)
          setDone(restoredWords(restored))
        }}
      />
    </section>
  )
}

const REASONS: Readonly<Record<BackupInfo['reason'], string>> = {
  daily: 'Daily',
  manual: 'Made by you',
  migration: 'Before an update of the database',
  'before-restore': 'Before a backup was restored',
  'before-repair': 'Before a repair',
}

function restoredWords({ sessions, kept }: Restored): string {
  const before = kept === null ? '' : ` What was there before is kept in ${kept}.`
  return `Restored: ${plural(sessions, 'session')} are back.${before}`
}

function contents({ sessions, bytes }: BackupInfo): string {
  return sessions === null
    ? `${formatBytes(bytes)}, cannot be read`
    : `${plural(sessions, 'session')}, ${formatBytes(bytes)}`
}

function listedWords(status: 'loading' | 'ready' | 'failed', count: number): string {
  if (status === 'loading') return 'Looking for backups…'
  if (status === 'failed') return 'Backups cannot be listed.'
  return count === 0
    ? 'There is none yet. One is made every day, and before every update of the database.'
    : 'One is made every day, and before every update of the database. Sessions deleted since may still be in them.'
}
