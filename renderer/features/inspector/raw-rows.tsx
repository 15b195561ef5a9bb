import type { RecordReport } from '#shared/contract/session-shapes.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './inspector.module.css'

const MAX_TEXT = 2000

/** Rows as they are stored, undecoded: hostile text, shown as text. */
export function RawRows({ rows }: { readonly rows: RecordReport['raw'] }) {
  return (
    <section aria-label="Raw record">
      <div className={styles.rawHead}>
        Raw record
        <span className={styles.faint}>as stored, not redacted</span>
        <span className={styles.spacer} />
        <IconButton
          icon="copy"
          size="small"
          label="Copy raw record"
          onClick={() => void navigator.clipboard.writeText(JSON.stringify(rows, null, 2))}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys have to reach it */}
      <section className={styles.raw} tabIndex={0} aria-label="Rows as stored">
        {rows.map(({ seq, type, text }) => (
          <div key={`${seq} ${type}`} className={styles.rawRow}>
            <span className={styles.seq}>{seq}</span>
            <span className={styles.mono}>{type}</span>
            <code>{text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}</code>
          </div>
        ))}
      </section>
    </section>
  )
}
