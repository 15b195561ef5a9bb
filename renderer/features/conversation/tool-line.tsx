import { clsx } from 'clsx'
import { memo } from 'react'
import { countChanges } from '../../markdown/diff-lines.ts'
import { useNow } from '../../store/clock.ts'
import { formatDuration } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import type { ToolRow } from './row.ts'
import { ToolDetails } from './tool-details.tsx'
import styles from './tool-line.module.css'
import { formatToolTime, resultWords, STATE_WORDS, toolIcon, toolMark } from './tool-words.ts'

interface ToolLineProps {
  readonly row: ToolRow
  readonly open: boolean
  readonly onToggle: (key: string) => void
}

/** A call on one line; open, the line is the head of a box with what was asked and what came back. */
export const ToolLine = memo(function ToolLine({ row, open, onToggle }: ToolLineProps) {
  const { verb, target, state } = row
  return (
    <article className={open ? styles.box : undefined} aria-label={`${verb} ${target}`.trim()}>
      <button
        type="button"
        className={clsx(styles.tool, open && styles.open)}
        aria-expanded={open}
        onClick={() => onToggle(row.key)}
      >
        <Icon name={toolIcon(verb)} size={14} className={styles.icon} />
        <span className={styles.verb}>{verb}</span>
        <bdi dir="ltr" className={styles.target}>
          {target}
        </bdi>
        <span className={styles.result}>
          <Result row={row} />
        </span>
        <StatusMark kind={toolMark(state)} size={14} />
        <span className={styles.time}>
          <ToolTime row={row} />
        </span>
        <span className={styles.hidden}>, {STATE_WORDS[state]}</span>
      </button>
      {open && <ToolDetails row={row} />}
    </article>
  )
})

function Result({ row }: { readonly row: ToolRow }) {
  const diff = row.state === 'ok' ? row.result?.diff : undefined
  const words = resultWords(row)
  if (diff === undefined && !CHANGES.test(words)) return words
  const { added, removed } = diff === undefined ? changesIn(words) : countChanges(diff)
  return (
    <>
      <span className={styles.plus}>+{added}</span> <span className={styles.less}>−{removed}</span>
    </>
  )
}

const CHANGES = /^\+(\d+) [−-](\d+)$/

function changesIn(words: string): { readonly added: string; readonly removed: string } {
  const [, added = '', removed = ''] = CHANGES.exec(words) ?? []
  return { added, removed }
}

function ToolTime({ row }: { readonly row: ToolRow }) {
  const ticking = row.state === 'running' && row.startedAt !== null
  const now = useNow(ticking)
  if (row.result?.durationMs === 0) return null
  if (row.result?.durationMs !== undefined) return formatToolTime(row.result.durationMs)
  if (!ticking || row.startedAt === null) return null
  return formatDuration(now - row.startedAt)
}
