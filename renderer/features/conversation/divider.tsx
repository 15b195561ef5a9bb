import { memo, type ReactNode } from 'react'
import { MarkdownText } from '../../markdown/markdown.tsx'
import { OutputText } from '../../markdown/output-text.tsx'
import { useNow } from '../../store/clock.ts'
import { formatCount, formatExact, plural } from '../../ui/format.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './divider.module.css'
import { Fold } from './fold.tsx'
import type { CompactionRow, GapRow, NoteRow, OpaqueRow, TurnEndRow } from './row.ts'
import { turnEndWords } from './turn-end-words.ts'

function Divider({
  mark,
  title,
  children,
}: {
  readonly mark: ReactNode
  readonly title?: string
  readonly children: ReactNode
}) {
  return (
    <div className={styles.divider} title={title}>
      {mark}
      <span dir="auto">{children}</span>
    </div>
  )
}

export const TurnEnd = memo(function TurnEnd({ row }: { readonly row: TurnEndRow }) {
  const now = useNow(false)
  const { mark, text, detail } = turnEndWords(row.reason, row.time, row.startedAt, now)
  return (
    <>
      <Divider mark={<StatusMark kind={mark} size={14} />} title={formatExact(row.time)}>
        {text}
      </Divider>
      {detail !== null && (
        <p className={styles.detail} dir="auto">
          {detail}
        </p>
      )}
    </>
  )
})

export const Gap = memo(function Gap({ row }: { readonly row: GapRow }) {
  const events = row.missing === 1 ? '1 event' : `${formatCount(row.missing)} events`
  return (
    <Divider mark={<StatusMark kind="unreadable" size={14} />}>
      {row.side === 'between'
        ? `${events} cannot be read here`
        : `The record ends here: ${events} behind it cannot be read`}
    </Divider>
  )
})

export const Opaque = memo(function Opaque({ row }: { readonly row: OpaqueRow }) {
  return (
    <Divider mark={<Icon name="unknown" size={14} />} title="Its raw form is in the Log of the inspector.">
      An event this version cannot show: <bdi className={styles.code}>{row.type}</bdi>
    </Divider>
  )
})

interface FoldableProps<R> {
  readonly row: R
  readonly open: boolean
  readonly onToggle: (key: string) => void
}

export const Compaction = memo(function Compaction({ row, open, onToggle }: FoldableProps<CompactionRow>) {
  return (
    <div className={styles.compaction}>
      <Fold
        icon="box"
        label={`Summarised for the model, ${plural(row.covered, 'event')} above`}
        open={open}
        onToggle={() => onToggle(row.key)}
      >
        <MarkdownText text={row.summary} />
      </Fold>
    </div>
  )
})

export const Note = memo(function Note({ row, open, onToggle }: FoldableProps<NoteRow>) {
  const { note } = row
  if (note.of === 'context') {
    const { label, text, code } = note
    if (text === '') return <QuietLine icon="terminal" text={label} time={row.time} />
    return (
      <Fold icon={code ? 'terminal' : 'file'} label={label} open={open} onToggle={() => onToggle(row.key)}>
        {code ? <OutputText text={text} label={label} /> : <MarkdownText text={text} />}
      </Fold>
    )
  }
  const [icon, text] = noteWords(note)
  return <QuietLine icon={icon} text={text} time={row.time} />
})

function QuietLine({
  icon,
  text,
  time,
}: {
  readonly icon: IconName
  readonly text: string
  readonly time: number
}) {
  return (
    <div className={styles.note} title={formatExact(time)}>
      <Icon name={icon} size={14} />
      <span dir="auto">{text}</span>
    </div>
  )
}

function noteWords(note: Exclude<NoteRow['note'], { of: 'context' }>): readonly [IconName, string] {
  switch (note.of) {
    case 'model':
      return ['gear', `Continues with ${note.model}${note.effort === null ? '' : `, ${note.effort}`}`]
    case 'retry':
      return ['retry', `Tried again after ${Math.round(note.delayMs / 100) / 10}s: ${note.message}`]
    case 'imported':
      return ['down', `Imported from ${note.tool}`]
    case 'raw':
      return ['braces', `${plural(note.count, 'line')} of the original with no counterpart, kept in the Log`]
  }
}
