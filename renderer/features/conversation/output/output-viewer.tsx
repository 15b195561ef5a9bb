import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { OutputLine } from '../../../markdown/output-line.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatBytes } from '../../../ui/format.ts'
import { byteAt, lineAt, lineCount, rangeBefore } from './held-lines.ts'
import type { OutputSource } from './output-source.ts'
import styles from './output-viewer.module.css'
import { useHeldLines } from './use-held-lines.ts'

const LINE = 19
/** Lines from either end of what is held at which the next part is asked for. */
const NEAR = 200

interface OutputViewerProps {
  readonly source: OutputSource
  readonly size: number
  readonly label: string
}

/** The whole of an output, however long: a few parts of it are held, and of those the lines in view are in the page. */
export function OutputViewer({ source, size, label }: OutputViewerProps) {
  const box = useRef<HTMLElement>(null)
  const { view, failure, goTo, readOn, readBack } = useHeldLines(source, size)
  const { held } = view
  const count = lineCount(held)
  const list = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => LINE,
    overscan: 20,
  })
  const items = list.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  // What comes or goes above must not move what is read.
  useLayoutEffect(() => {
    if (box.current === null) return
    if (view.landed === 'start') box.current.scrollTop = 0
    else if (view.landed === 'end') box.current.scrollTop = box.current.scrollHeight
    else box.current.scrollTop += view.shift * LINE
  }, [view])

  useEffect(() => {
    if (count === 0) return
    if (last > count - NEAR) readOn(held)
    else if (first < NEAR && rangeBefore(held) !== null) readBack(held)
  }, [held, count, first, last, readOn, readBack])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Home' && event.key !== 'End') return
    event.preventDefault()
    goTo(event.key === 'Home' ? 0 : size)
  }
  const top = Math.floor((list.scrollOffset ?? 0) / LINE)
  const isAtEnd = top + Math.ceil((list.scrollRect?.height ?? 0) / LINE) >= count
  const at = count === 0 ? 0 : isAtEnd ? (held.parts.at(-1)?.to ?? size) : byteAt(held, top)
  return (
    <div className={styles.viewer} dir="ltr">
      <div className={styles.bar}>
        <Button size="small" variant="quiet" onClick={() => goTo(0)}>
          Start
        </Button>
        <input
          type="range"
          className={styles.place}
          aria-label="Place in the output"
          aria-valuetext={`${formatBytes(at)} of ${formatBytes(size)}`}
          min={0}
          max={size}
          step={Math.max(1, Math.floor(size / 1000))}
          value={at}
          onChange={event => goTo(Number(event.target.value))}
        />
        <Button size="small" variant="quiet" onClick={() => goTo(size)}>
          End
        </Button>
        <span className={styles.at}>
          {formatBytes(at)} of {formatBytes(size)}
        </span>
      </div>
      {failure !== null && (
        <p role="alert" className={styles.problem}>
          This part could not be read: {failure.detail}{' '}
          <Button size="small" onClick={() => goTo(at)}>
            Try again
          </Button>
        </p>
      )}
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={box} className={styles.box} tabIndex={0} aria-label={label} onKeyDown={onKeyDown}>
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above */}
        <div className={styles.track} style={{ height: list.getTotalSize() }}>
          {items.map(item => (
            <div
              key={item.index}
              className={styles.placed}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <OutputLine pieces={lineAt(held, item.index)} />
            </div>
          ))}
        </div>
      </section>
    </div>
  )
}
