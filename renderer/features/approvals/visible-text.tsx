import { revealHidden } from './hidden-characters.ts'
import styles from './visible-text.module.css'

/** Text with everything in it shown: what could hide or reorder it stands there by its code. */
export function VisibleText({ text }: { readonly text: string }) {
  return revealHidden(text).map((piece, index) =>
    piece.hidden === null ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text never move
      <mark key={index} className={styles.hidden} title={piece.hidden}>
        {piece.hidden.slice(piece.hidden.lastIndexOf('U+'))}
      </mark>
    ),
  )
}
