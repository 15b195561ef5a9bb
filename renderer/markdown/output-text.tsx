import { clsx } from 'clsx'
import { memo, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { LineList } from './line-list.tsx'
import styles from './output-text.module.css'
import { isBinary, type TerminalPiece, terminalLines } from './terminal-text.ts'

const KEPT_EACH_SIDE = 60
const MAX_CHARS = 2_000_000

interface OutputTextProps {
  readonly text: string
  readonly label: string
  /** Asks for the whole text where `text` is known to be cut; resolves when it was put in its place. */
  readonly onShowAll?: () => void
}

/** What a command wrote: colours kept, cut in the middle until asked for, binary said to be so. */
export const OutputText = memo(function OutputText({ text, label, onShowAll }: OutputTextProps) {
  const [all, setAll] = useState(false)
  const binary = isBinary(text)
  const lines = useMemo(
    () => (binary ? [] : terminalLines(text.slice(0, MAX_CHARS).replace(/\n+$/, ''))),
    [text, binary],
  )
  if (binary)
    return <p className={styles.said}>Binary output, {formatCount(text.length)} characters, not shown.</p>
  if (text.trim() === '') return <p className={styles.said}>No output.</p>
  const cut = !all && lines.length > KEPT_EACH_SIDE * 2 + 20
  const line = (index: number) => <OutputLine pieces={lines[index] ?? []} />
  if (!cut)
    return (
      <div className={styles.output} dir="ltr">
        <LineList count={lines.length} renderLine={line} label={label} />
      </div>
    )
  const hidden = lines.length - KEPT_EACH_SIDE * 2
  const showAll = () => {
    setAll(true)
    onShowAll?.()
  }
  return (
    <div className={styles.output} dir="ltr">
      <LineList count={KEPT_EACH_SIDE} renderLine={line} label={label} />
      <div className={styles.cut}>
        <span>{formatCount(hidden)} lines are not shown</span>
        <Button size="small" onClick={showAll}>
          Show all
        </Button>
      </div>
      <LineList
        count={KEPT_EACH_SIDE}
        renderLine={index => line(lines.length - KEPT_EACH_SIDE + index)}
        label={label}
      />
    </div>
  )
})

function OutputLine({ pieces }: { readonly pieces: readonly TerminalPiece[] }) {
  return (
    <span className={styles.line}>
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
        <span key={index} className={lookOf(piece)}>
          {piece.text}
        </span>
      ))}
    </span>
  )
}

function lookOf(piece: TerminalPiece): string | undefined {
  const look = clsx(
    piece.hue !== undefined && styles[piece.hue],
    piece.ground !== undefined && styles[`${piece.ground}Ground`],
    piece.strong && styles.strong,
    piece.dim && styles.muted,
    piece.italic && styles.italic,
    piece.underline && styles.underline,
  )
  return look === '' ? undefined : look
}
