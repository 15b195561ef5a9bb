import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { selectTranscript } from '../../store/selectors.ts'
import { Button } from '../../ui/button.tsx'
import { formatClock } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './inspector.module.css'

const NONE: readonly StoredEvent[] = []

/** The log as it is stored, newest first, as far as it was read. */
export function LogTab({ sessionId }: { readonly sessionId: SessionId }) {
  const app = useApp()
  const transcript = useWorkbench(selectTranscript(sessionId))
  const [type, setType] = useState('')
  const [picked, setPicked] = useState<number | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const events = transcript?.events ?? NONE
  const types = useMemo(() => [...new Set(events.map(event => event.type))].sort(), [events])
  const shown = useMemo(
    () => events.filter(event => type === '' || event.type === type).reverse(),
    [events, type],
  )
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 24,
    overscan: 10,
  })
  const event = picked === null ? undefined : events.find(({ seq }) => seq === picked)
  return (
    <>
      <div className={styles.logTools}>
        <select aria-label="Type of event" value={type} onChange={change => setType(change.target.value)}>
          <option value="">All types</option>
          {types.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span className={styles.faint}>{shown.length}</span>
        <span className={styles.faint}>not redacted</span>
        {transcript !== undefined && transcript.nextBefore !== null && (
          <Button size="small" onClick={() => void app.transcripts.loadAbove(sessionId)}>
            {transcript.above.kind === 'loading' ? 'Reading…' : 'Earlier'}
          </Button>
        )}
        <IconButton
          icon="copy"
          label="Copy as JSON"
          size="small"
          onClick={() => void navigator.clipboard.writeText(JSON.stringify(shown.toReversed(), null, 2))}
        />
      </div>
      <div ref={scroller} className={styles.log}>
        <div className={styles.logCanvas} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(item => {
            const row = shown[item.index]
            if (row === undefined) return null
            return (
              <button
                key={row.seq}
                type="button"
                className={styles.logRow}
                style={{ transform: `translateY(${item.start}px)` }}
                aria-expanded={row.seq === picked}
                onClick={() => setPicked(row.seq === picked ? null : row.seq)}
              >
                <span className={styles.seq}>{row.seq}</span>
                <span className={styles.faint}>{formatClock(row.time)}</span>
                <span className={styles.mono}>{row.type}</span>
                <span className={styles.faint}>{excerptOf(row)}</span>
              </button>
            )
          })}
        </div>
      </div>
      {event !== undefined && <EventJson event={event} onClose={() => setPicked(null)} />}
    </>
  )
}

function EventJson({ event, onClose }: { readonly event: StoredEvent; readonly onClose: () => void }) {
  const text = JSON.stringify(event, null, 2)
  return (
    <>
      <div className={styles.jsonHead}>
        Event {event.seq}
        <span className={styles.spacer} />
        <IconButton
          icon="copy"
          label={`Copy event ${event.seq}`}
          size="small"
          onClick={() => void navigator.clipboard.writeText(text)}
        />
        <IconButton icon="x" label="Close event" size="small" onClick={onClose} />
      </div>
      <pre className={styles.json}>
        {text.length > MAX_SHOWN
          ? `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters, all of them in the copy`
          : text}
      </pre>
    </>
  )
}

/** More than this would stall the page; the copy has all of it. */
const MAX_SHOWN = 50_000

function excerptOf(event: StoredEvent): string {
  const text = JSON.stringify(event.data) ?? ''
  return text.slice(0, 120)
}
