import { clsx } from 'clsx'
import { memo, useMemo } from 'react'
import codeStyles from './code-text.module.css'
import { type DiffLine, type FileDiff, readDiff } from './diff-lines.ts'
import { markedRuns, type StyledPiece, stylePieces } from './diff-pieces.ts'
import styles from './diff-view.module.css'
import type { CodePiece } from './highlight-protocol.ts'
import { languageOfPath } from './language-name.ts'
import { LineList } from './line-list.tsx'
import { useHighlighted } from './use-highlighted.ts'

interface DiffViewProps {
  readonly diff: string
  /** Its language, when the diff names no file. */
  readonly path?: string
}

/** A unified diff, old and new numbers side by side; text that is no diff is shown as it is. */
export const DiffView = memo(function DiffView({ diff, path = '' }: DiffViewProps) {
  const files = useMemo(() => readDiff(diff), [diff])
  if (files === null) return <pre className={clsx(styles.diff, styles.plain)}>{diff}</pre>
  return files.map(file => (
    <FileChanges key={file.path} file={file} path={file.path || path} titled={files.length > 1} />
  ))
})

function FileChanges(props: { readonly file: FileDiff; readonly path: string; readonly titled: boolean }) {
  const { file, path, titled } = props
  const language = languageOfPath(path)
  const sides = useMemo(() => ({ old: sideOf(file.lines, 'del'), now: sideOf(file.lines, 'add') }), [file])
  const oldColours = useHighlighted(sides.old.text, language)
  const newColours = useHighlighted(sides.now.text, language)
  const colours = (index: number): readonly CodePiece[] | undefined => {
    const now = sides.now.at.get(index)
    if (now !== undefined) return newColours?.[now]
    const old = sides.old.at.get(index)
    return old === undefined ? undefined : oldColours?.[old]
  }
  return (
    <div className={styles.diff} dir="ltr">
      {titled && <div className={styles.file}>{path}</div>}
      <LineList
        count={file.lines.length}
        label={`Changes in ${path}`}
        renderLine={index => {
          const line = file.lines[index]
          return line === undefined ? null : <Line line={line} colours={colours(index)} />
        }}
      />
    </div>
  )
}

/** The text of one side and which of its lines each line of the diff is. */
function sideOf(lines: readonly DiffLine[], kind: 'add' | 'del') {
  const at = new Map<number, number>()
  const text: string[] = []
  lines.forEach((line, index) => {
    if (line.kind !== kind && line.kind !== 'same') return
    at.set(index, text.length)
    text.push(line.parts.map(part => part.text).join(''))
  })
  return { text: text.join('\n'), at }
}

const SIGNS = { add: '+', del: '−', same: '', skip: '' } as const

function Line({
  line,
  colours,
}: {
  readonly line: DiffLine
  readonly colours: readonly CodePiece[] | undefined
}) {
  if (line.kind === 'skip') return <div className={styles.skip} aria-hidden="true" />
  return (
    <div className={clsx(styles.line, line.kind !== 'same' && styles[line.kind])}>
      <span className={styles.no}>{line.oldNo}</span>
      <span className={styles.no}>{line.newNo}</span>
      <span className={styles.sign}>{SIGNS[line.kind]}</span>
      <span className={styles.text}>
        {markedRuns(stylePieces(line.parts, colours)).map((run, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs of a line never move
          <Run key={index} pieces={run} />
        ))}
      </span>
    </div>
  )
}

function Run({ pieces }: { readonly pieces: readonly StyledPiece[] }) {
  const coloured = pieces.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
    <span key={index} className={piece.className === '' ? undefined : codeStyles[piece.className]}>
      {piece.text}
    </span>
  ))
  return pieces[0]?.marked ? <mark>{coloured}</mark> : coloured
}
