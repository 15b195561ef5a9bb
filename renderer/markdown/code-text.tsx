import { Fragment } from 'react'
import styles from './code-text.module.css'
import type { CodeLines, CodePiece } from './highlight-protocol.ts'

export function CodeText({ lines }: { readonly lines: CodeLines }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of a finished text never move
    <Fragment key={index}>
      {index > 0 && '\n'}
      <CodeLine pieces={line} />
    </Fragment>
  ))
}

export function CodeLine({ pieces }: { readonly pieces: readonly CodePiece[] }) {
  return pieces.map(([text, className], index) =>
    className === '' ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a finished line never move
      <span key={index} className={styles[className]}>
        {text}
      </span>
    ),
  )
}
