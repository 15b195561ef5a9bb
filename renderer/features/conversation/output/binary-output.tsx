import { LineList } from '../../../markdown/line-list.tsx'
import { useCall } from '../../../store/use-call.ts'
import { formatBytes } from '../../../ui/format.ts'
import { hexLines } from './hex-lines.ts'
import type { OutputSource } from './output-source.ts'
import styles from './output-viewer.module.css'
import { SaveButton } from './save-button.tsx'

const SHOWN_BYTES = 512

interface BinaryOutputProps {
  readonly source: OutputSource
  readonly id: string
  readonly size: number
  readonly label: string
  readonly name: string
}

/** Output that is no text: its size, its first bytes, and a way to have it whole. */
export function BinaryOutput({ source, id, size, label, name }: BinaryOutputProps) {
  const head = useCall(`hex ${id}`, signal => source.read({ from: 0, length: SHOWN_BYTES }, signal))
  const rows = head.status === 'ready' ? hexLines(head.value.bytes) : []
  return (
    <div className={styles.viewer} dir="ltr">
      <div className={styles.bar}>
        <span>Binary output of {formatBytes(size)}</span>
        <span className={styles.fill} />
        <SaveButton source={source} size={size} name={name} />
      </div>
      {head.status === 'failed' && (
        <p role="alert" className={styles.problem}>
          Its first bytes could not be read: {head.failure.detail}
        </p>
      )}
      <div className={styles.hex}>
        <LineList
          count={rows.length}
          renderLine={index => <span className={styles.row}>{rows[index]}</span>}
          label={`First bytes of ${label}`}
        />
      </div>
      {size > SHOWN_BYTES && head.status === 'ready' && (
        <p className={styles.more}>The first {formatBytes(SHOWN_BYTES)} are shown.</p>
      )}
    </div>
  )
}
