import { useMemo, useState } from 'react'
import type { OutputRef } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { LineList } from '../../../markdown/line-list.tsx'
import { OutputLine } from '../../../markdown/output-line.tsx'
import { OutputText } from '../../../markdown/output-text.tsx'
import { terminalLines } from '../../../markdown/terminal-text.ts'
import { useApp } from '../../../store/app-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatBytes, plural } from '../../../ui/format.ts'
import { BinaryOutput } from './binary-output.tsx'
import { outputSource } from './output-source.ts'
import styles from './output-viewer.module.css'
import { OutputViewer } from './output-viewer.tsx'
import { SaveButton } from './save-button.tsx'

const KEPT_EACH_SIDE = 60
/** The line that a tool puts in place of what it cut out for the model. */
const CUT_LINE = /\n\[… [\d,]+ characters? cut …\]\n/

interface KeptOutputProps {
  readonly sessionId: SessionId
  readonly output: OutputRef
  /** What the model was given: both ends. */
  readonly text: string
  readonly label: string
}

/** An output that is stored beside the log: its ends, and all of it when asked for. */
export function KeptOutput({ sessionId, output, text, label }: KeptOutputProps) {
  const { client } = useApp()
  const { id, bytes: size } = output
  const [all, setAll] = useState(false)
  const source = useMemo(() => outputSource(client, sessionId, id), [client, sessionId, id])
  if (size === 0) return <OutputText text={text} label={label} />
  const name = fileName(output)
  if (output.binary === true) return <BinaryOutput {...{ source, id, size, label, name }} />
  const save = <SaveButton source={source} size={size} name={name} />
  if (all)
    return (
      <>
        <div className={styles.bar}>
          <span>{sizeWords(output)}</span>
          <span className={styles.fill} />
          <Button size="small" onClick={() => setAll(false)}>
            Show its ends
          </Button>
          {save}
        </div>
        <OutputViewer source={source} size={size} label={label} />
      </>
    )
  return (
    <Ends text={text} label={label}>
      <div className={styles.cut}>
        <span>{sizeWords(output)}</span>
        <span className={styles.fill} />
        <Button size="small" onClick={() => setAll(true)}>
          Show all {formatBytes(size)}
        </Button>
        {save}
      </div>
    </Ends>
  )
}

interface EndsProps {
  readonly text: string
  readonly label: string
  readonly children: React.ReactNode
}

function Ends({ text, label, children }: EndsProps) {
  const [head = '', tail] = useMemo(() => splitAtCut(text), [text])
  if (tail === undefined)
    return (
      <>
        <OutputText text={head} label={label} />
        {children}
      </>
    )
  return (
    <div className={styles.viewer} dir="ltr">
      <EndLines text={head} label={`Start of ${label}`} side="start" />
      {children}
      <EndLines text={tail} label={`End of ${label}`} side="end" />
    </div>
  )
}

function EndLines({ text, label, side }: { text: string; label: string; side: 'start' | 'end' }) {
  const lines = useMemo(() => {
    const all = terminalLines(text.replace(/\n+$/, ''))
    return side === 'start' ? all.slice(0, KEPT_EACH_SIDE) : all.slice(-KEPT_EACH_SIDE)
  }, [text, side])
  const line = (index: number) => <OutputLine pieces={lines[index] ?? []} />
  return <LineList count={lines.length} renderLine={line} label={label} />
}

function splitAtCut(text: string): readonly [string, string?] {
  const cut = CUT_LINE.exec(text)
  if (cut === null) return [text]
  return [text.slice(0, cut.index), text.slice(cut.index + cut[0].length)]
}

function sizeWords({ bytes, lines, complete }: OutputRef): string {
  const length = lines === undefined ? formatBytes(bytes) : `${formatBytes(bytes)}, ${plural(lines, 'line')}`
  return complete === false ? `${formatBytes(bytes)} of it were kept` : length
}

/** Safe on every system, whatever the id of the call holds. */
function fileName({ id, binary }: OutputRef): string {
  const short = id.replaceAll(/[^A-Za-z0-9]/g, '').slice(-8)
  return `output-${short === '' ? 'of-call' : short}.${binary === true ? 'bin' : 'txt'}`
}
