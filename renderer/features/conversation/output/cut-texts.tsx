import { useMemo, useState } from 'react'
import type { CutText } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp } from '../../../store/app-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatBytes } from '../../../ui/format.ts'
import { CutPicture } from './cut-picture.tsx'
import { textSource } from './output-source.ts'
import styles from './output-viewer.module.css'
import { OutputViewer } from './output-viewer.tsx'
import { SaveButton } from './save-button.tsx'
import { useOpenSession } from './use-open-session.ts'

/** More of one event are not offered one by one: the log's export holds them. */
const MOST = 5

interface CutTextsProps {
  readonly seq: number
  readonly cuts: readonly CutText[]
}

/** What was too long to be sent with its event: read in parts when it is asked for. */
export function CutTexts({ seq, cuts }: CutTextsProps) {
  const sessionId = useOpenSession()
  if (sessionId === null) return null
  return cuts
    .slice(0, MOST)
    .map(cut => <Cut key={cut.path.join(' ')} sessionId={sessionId} seq={seq} cut={cut} />)
}

interface CutProps {
  readonly sessionId: SessionId
  readonly seq: number
  readonly cut: CutText
}

function Cut({ sessionId, seq, cut }: CutProps) {
  const { client } = useApp()
  const [all, setAll] = useState(false)
  const { path, bytes: size } = cut
  const source = useMemo(() => textSource(client, sessionId, seq, path), [client, sessionId, seq, path])
  if (path.at(-1) === 'data') return <CutPicture source={source} size={size} />
  const label = `Text of ${formatBytes(size)}`
  return (
    <fieldset className={styles.cutText} aria-label={label}>
      <div className={styles.bar}>
        <span>{all ? label : `${label}, of which the ends are shown`}</span>
        <span className={styles.fill} />
        <Button size="small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show its ends' : `Show all ${formatBytes(size)}`}
        </Button>
        <SaveButton source={source} size={size} name={`text-${seq}.txt`} />
      </div>
      {all && <OutputViewer source={source} size={size} label={`Whole text of ${formatBytes(size)}`} />}
    </fieldset>
  )
}
