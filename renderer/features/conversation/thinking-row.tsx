import { memo } from 'react'
import { MarkdownText } from '../../markdown/markdown.tsx'
import { formatDuration } from '../../ui/format.ts'
import styles from './fold.module.css'
import { Fold } from './fold.tsx'
import type { ThinkingRow } from './row.ts'

interface ThinkingProps {
  readonly row: ThinkingRow
  readonly open: boolean
  readonly onToggle: (key: string) => void
}

export const Thinking = memo(function Thinking({ row, open, onToggle }: ThinkingProps) {
  const took = row.tookMs === null || row.tookMs < 1000 ? '' : ` for ${formatDuration(row.tookMs)}`
  return (
    <Fold
      icon="thought"
      label={row.live ? 'Thinking' : `Thought${took}`}
      open={open}
      onToggle={() => onToggle(row.key)}
    >
      <div className={styles.quiet}>
        <MarkdownText text={row.text} live={row.live} />
      </div>
    </Fold>
  )
})
