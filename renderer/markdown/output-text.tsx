import { memo, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { LineList } from './line-list.tsx'
import { OutputLine } from './output-line.tsx'
import styles from './output-text.module.css'
import { isBinary, terminalLines } from './terminal-text.ts'

const KEPT_EACH_SIDE = 60
const MAX_CHARS = 2_000_000

interface OutputTextProps {
  readonly text: string
  readonly label: string
}

/** What a command wrote: colours kept, cut in the middle until asked for, binary said to be so. */
export const OutputText = memo(function OutputText({ text, label }: OutputTextProps) {
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
  return (
    <div className={styles.output} dir="ltr">
      <LineList count={KEPT_EACH_SIDE} renderLine={line} label={label} />
      <div className={styles.cut}>
        <span>{formatCount(hidden)} lines are not shown</span>
        <Button size="small" onClick={() => setAll(true)}>
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
