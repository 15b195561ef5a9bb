import { clsx } from 'clsx'
import styles from './output-text.module.css'
import type { TerminalPiece } from './terminal-text.ts'

/** One line of what a program wrote, in its colours. */
export function OutputLine({ pieces }: { readonly pieces: readonly TerminalPiece[] }) {
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
