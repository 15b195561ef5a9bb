import { clsx } from 'clsx'
import type { StorageUsage } from '#shared/contract/storage-shapes.ts'
import { formatBytes } from '../../../ui/format.ts'
import styles from './storage.module.css'

type Part = keyof StorageUsage['parts']

const PARTS: readonly { readonly part: Part; readonly name: string; readonly text: string }[] = [
  {
    part: 'sessions',
    name: 'Sessions',
    text: 'Logs, checkpoints and outputs of sessions and their children',
  },
  { part: 'index', name: 'Database', text: 'Indexes of the database and its own log' },
  { part: 'search', name: 'Search', text: 'The search index; it is made again when it is deleted' },
  { part: 'backups', name: 'Backups', text: 'Copies of the database' },
  { part: 'damaged', name: 'Set aside', text: 'Damaged databases that were set aside' },
  { part: 'logs', name: 'Own logs', text: "Espalier's own logs" },
  { part: 'other', name: 'Other', text: 'Settings and small files' },
  { part: 'trash', name: 'Trash', text: 'Sessions in the trash' },
  { part: 'free', name: 'Unused', text: 'Holds nothing; compacting gives it back' },
]

/** Parts of the whole, told apart by place, shade and pattern; the list says each in words. */
export function UsageBar({ usage }: { readonly usage: StorageUsage }) {
  const shown = PARTS.filter(({ part }) => usage.parts[part] > 0)
  return (
    <>
      <div className={styles.bar} aria-hidden="true">
        {shown.map(({ part, name }) => (
          <span
            key={part}
            className={clsx(styles.segment, styles[part])}
            style={{ flexGrow: usage.parts[part] }}
            title={`${name}, ${formatBytes(usage.parts[part])}`}
          />
        ))}
      </div>
      <ul className={styles.legend} aria-label="What uses space">
        {shown.map(({ part, name, text }) => (
          <li key={part} title={text}>
            <span className={clsx(styles.swatch, styles[part])} aria-hidden="true" />
            <span className={styles.legendName}>{name}</span>
            <span className={styles.number}>{formatBytes(usage.parts[part])}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
