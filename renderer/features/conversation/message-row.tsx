import { clsx } from 'clsx'
import { memo, useState } from 'react'
import { textOf } from '#shared/session/content.ts'
import { MarkdownText } from '../../markdown/markdown.tsx'
import { useNow } from '../../store/clock.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatExact, formatTime } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { ContentImages } from './content-images.tsx'
import styles from './message-row.module.css'
import type { CommandRow, MessageRow, TextRow } from './row.ts'

const LONG = 6000

/** What was said to this session. A person's words are shown as they typed them, an agent's as markdown. */
export const SaidMessage = memo(function SaidMessage(props: {
  readonly row: MessageRow
  readonly author: string
}) {
  const { row, author } = props
  const [all, setAll] = useState(false)
  const now = useNow(false)
  const text = textOf(row.content)
  const shown = all || text.length <= LONG ? text : text.slice(0, LONG / 2)
  const person = row.source.kind === 'person'
  return (
    <article
      className={clsx(styles.message, styles.bubble)}
      aria-label={author}
      title={person ? formatExact(row.time) : undefined}
    >
      {!person && (
        <div className={styles.author}>
          {row.outcome !== null && (
            <StatusMark kind={OUTCOME_MARKS[row.outcome]} size={13} className={styles.outcome} />
          )}
          <b dir="auto">{author}</b>
          {row.outcome !== null && <span>{OUTCOME_WORDS[row.outcome]}</span>}
          <time title={formatExact(row.time)}>{formatTime(row.time, now)}</time>
        </div>
      )}
      {person ? <Paragraphs text={shown} /> : <MarkdownText text={shown} />}
      {shown !== text && (
        <Button size="small" variant="quiet" className={styles.more} onClick={() => setAll(true)}>
          Show all {formatCount(text.length)} characters
        </Button>
      )}
      <ContentImages content={row.content} />
    </article>
  )
})

const OUTCOME_MARKS = {
  completed: 'done',
  failed: 'failed',
  stopped: 'stopped',
  limited: 'stopped',
  interrupted: 'interrupted',
} as const
const OUTCOME_WORDS = {
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  limited: 'limit reached',
  interrupted: 'interrupted',
} as const

function Paragraphs({ text }: { readonly text: string }) {
  return text.split(/\n{2,}/).map((paragraph, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of a logged message never move
    <p key={index} dir="auto" className={styles.typed}>
      {paragraph}
    </p>
  ))
}

export const SaidCommand = memo(function SaidCommand({ row }: { readonly row: CommandRow }) {
  return (
    <article className={clsx(styles.message, styles.bubble)} aria-label="You" title={formatExact(row.time)}>
      <bdi className={styles.command}>
        {row.sign}
        {row.name}
      </bdi>{' '}
      <bdi className={styles.typed}>{row.args}</bdi>
    </article>
  )
})

export const AnswerText = memo(function AnswerText(props: {
  readonly row: TextRow
  readonly author: string
}) {
  const { row, author } = props
  return (
    <article className={styles.message} aria-label={author}>
      <MarkdownText text={row.text} live={row.live} />
    </article>
  )
})
