import { useState } from 'react'
import { TRASH_KEPT_DAYS, type TrashedTree } from '#shared/contract/storage-shapes.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { useApp } from '../../../store/app-context.tsx'
import { useNow } from '../../../store/clock.ts'
import { restoreSession } from '../../../store/put-away.ts'
import { Button } from '../../../ui/button.tsx'
import { formatBytes, formatExact, plural } from '../../../ui/format.ts'
import { PurgeQuestion } from './purge-question.tsx'
import styles from './storage.module.css'

const SHOWN = 20
const DAY_MS = 86_400_000

interface TrashListProps {
  readonly trashed: readonly TrashedTree[]
  /** By the id of the act; absent while it is measured. */
  readonly bytes: ReadonlyMap<string, number>
  readonly onChanged: () => void
}

/** Nothing here goes away by itself: it is brought back, or deleted for good after a question. */
export function TrashList({ trashed, bytes, onChanged }: TrashListProps) {
  const app = useApp()
  const now = useNow(false)
  const [shown, setShown] = useState(SHOWN)
  const [asked, setAsked] = useState<TrashedTree | null>(null)
  const [busy, setBusy] = useState<{ readonly id: SessionId; readonly doing: string } | null>(null)

  async function restore(id: SessionId): Promise<void> {
    setBusy({ id, doing: 'restoring…' })
    await restoreSession(app, id)
    setBusy(null)
    onChanged()
  }

  async function purge(tree: TrashedTree): Promise<void> {
    setAsked(null)
    setBusy({ id: tree.id, doing: 'deleting…' })
    try {
      await app.client.sessions.purge({ sessionId: tree.id })
    } catch (error) {
      app.report(`${nameOf(tree)} could not be deleted`, error)
    } finally {
      setBusy(null)
      onChanged()
    }
  }

  return (
    <section className={styles.section} aria-label="Trash">
      <h3>Trash</h3>
      <p className={styles.note}>
        {trashed.length === 0
          ? `The trash is empty. What is moved there stays at least ${TRASH_KEPT_DAYS} days, and nothing in it is deleted by itself.`
          : `Stays at least ${TRASH_KEPT_DAYS} days, and after that until you delete it for good.`}
      </p>
      {trashed.length > 0 && (
        <ul className={styles.list}>
          {trashed.slice(0, shown).map(tree => {
            const label = nameOf(tree)
            const size = bytes.get(tree.id)
            const reason = busy === null ? null : 'something else is being done'
            return (
              <li key={tree.id} className={styles.trashed} aria-busy={busy?.id === tree.id || undefined}>
                <span className={styles.twoLines}>
                  <b title={tree.cwd ?? undefined}>{label}</b>
                  <small title={formatExact(tree.trashedAt)}>
                    {plural(tree.sessions, 'session')}
                    {size !== undefined && `, ${formatBytes(size)}`} · {sinceWords(tree.trashedAt, now)}
                    {busy?.id === tree.id && ` · ${busy.doing}`}
                    {isOver(tree, now) && ` · its ${TRASH_KEPT_DAYS} days are over`}
                  </small>
                </span>
                <Button
                  size="small"
                  aria-label={`Restore ${label}`}
                  disabledReason={reason}
                  onClick={() => void restore(tree.id)}
                >
                  Restore
                </Button>
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={`Delete ${label} for good…`}
                  disabledReason={reason}
                  onClick={() => setAsked(tree)}
                >
                  Delete for good…
                </Button>
              </li>
            )
          })}
        </ul>
      )}
      {trashed.length > shown && (
        <Button size="small" variant="quiet" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, trashed.length - shown)} more
        </Button>
      )}
      <PurgeQuestion
        tree={asked}
        label={asked === null ? '' : nameOf(asked)}
        bytes={asked === null ? undefined : bytes.get(asked.id)}
        daysLeft={asked === null ? 0 : daysLeft(asked, now)}
        onClose={() => setAsked(null)}
        onPurge={tree => void purge(tree)}
      />
    </section>
  )
}

function nameOf({ id, label }: TrashedTree): string {
  return label ?? shortId(id)
}

function daysLeft({ trashedAt }: TrashedTree, now: number): number {
  return Math.max(0, Math.ceil(TRASH_KEPT_DAYS - (now - trashedAt) / DAY_MS))
}

function isOver(tree: TrashedTree, now: number): boolean {
  return daysLeft(tree, now) === 0
}

function sinceWords(at: number, now: number): string {
  const days = Math.floor((now - at) / DAY_MS)
  return days <= 0 ? 'moved here today' : `moved here ${plural(days, 'day')} ago`
}
