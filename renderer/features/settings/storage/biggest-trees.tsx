import { useState } from 'react'
import type { StorageUsage } from '#shared/contract/storage-shapes.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { closeOverlay, openSession } from '../../../store/actions.ts'
import { useApp } from '../../../store/app-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatBytes, formatCount, plural } from '../../../ui/format.ts'
import styles from './storage.module.css'

const FIRST = 6

/** Where the space goes: a press opens the session. */
export function BiggestTrees({ usage }: { readonly usage: StorageUsage }) {
  const app = useApp()
  const [all, setAll] = useState(false)
  const { trees, treeCount } = usage
  const shown = all ? trees : trees.slice(0, FIRST)
  const most = trees[0]?.bytes ?? 1

  function open(id: SessionId): void {
    closeOverlay(app)
    openSession(app, id)
  }

  return (
    <section className={styles.section} aria-label="Biggest sessions">
      <h3>Biggest sessions</h3>
      {trees.length === 0 ? (
        <p className={styles.note}>There are no sessions yet.</p>
      ) : (
        <ul className={styles.list}>
          {shown.map(({ id, label, archived, sessions, bytes }) => (
            <li key={id} className={styles.tree}>
              <button type="button" className={styles.treeName} onClick={() => open(id)}>
                {label ?? shortId(id)}
              </button>
              <span className={styles.aside}>
                {archived && 'archived · '}
                {sessions > 1 ? plural(sessions - 1, 'child', 'children') : 'no children'}
              </span>
              <span className={styles.weight} aria-hidden="true">
                <span style={{ width: `${Math.max(1, (bytes / most) * 100)}%` }} />
              </span>
              <span className={styles.number}>{formatBytes(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      {trees.length > FIRST && (
        <Button size="small" variant="quiet" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? 'Show fewer' : `Show ${trees.length - FIRST} more`}
        </Button>
      )}
      {all && treeCount > trees.length && (
        <p className={styles.note}>
          The biggest {trees.length} of {formatCount(treeCount)}.
        </p>
      )}
    </section>
  )
}
