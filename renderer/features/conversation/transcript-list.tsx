import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { Icon } from '../../ui/icon.tsx'
import { rowOfSeq } from './find/row-of-seq.ts'
import { useFoundMarks } from './find/use-found-marks.ts'
import type { ReadingPlace } from './reading-memory.ts'
import type { Row } from './row.ts'
import { gapAbove, sharesList } from './row-layout.ts'
import { type RowContext, RowView } from './row-view.tsx'
import styles from './transcript-list.module.css'
import { useReading } from './use-reading.ts'
import { useRowKeys } from './use-row-keys.ts'

interface TranscriptListProps {
  readonly sessionId: SessionId
  readonly rows: readonly Row[]
  readonly isOpen: (row: Row) => boolean
  readonly context: RowContext
  readonly place: ReadingPlace | undefined
  readonly kept: Pick<ReadingPlace, 'toggled' | 'showsInherited'>
  /** Asked for whenever the reader comes near the first row. */
  readonly onNearTop: () => void
  /** An event to go to, a new object each time. */
  readonly landing: Landing | null
  /** Text to paint wherever it is mounted. */
  readonly found: string | null
  /** What stands over the first row: loading, or why it failed. */
  readonly above: ReactNode
}

export interface Landing {
  readonly seq: number
}

const PADDING_START = 12
const PADDING_END = 10
/** Rows from the top at which the page above is asked for. */
const NEAR_TOP = 12

/** The log. Mounts what is in view and a few rows around it, however long the log is. */
export function TranscriptList(props: TranscriptListProps) {
  const { sessionId, rows, isOpen, context, place, kept, onNearTop, landing, found, above } = props
  const box = useRef<HTMLDivElement>(null)
  const keys = useRowKeys(rows)
  const gap = (index: number) => {
    const row = rows[index]
    return row === undefined ? 0 : gapAbove(rows[index - 1], row, isOpen)
  }
  const estimate = (index: number) => {
    const row = rows[index]
    return row === undefined ? 0 : (place?.heights.get(row.key) ?? row.height + gap(index))
  }
  const list = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: useCallback((index: number) => keys[index] ?? index, [keys]),
    estimateSize: estimate,
    // A first guess at where the tail is: the first render mounts rows there, not at the top.
    initialOffset: () => rows.reduce((sum, _, index) => sum + estimate(index), 0),
    anchorTo: 'end',
    overscan: 5,
    paddingStart: PADDING_START,
    paddingEnd: PADDING_END,
  })
  const { fresh, onScroll, toTail, toRow } = useReading({ sessionId, list, box, rows, place, kept })

  useFoundMarks(box, found)
  const landed = useRef<Landing | null>(null)
  useEffect(() => {
    if (landing === null || landing === landed.current) return
    const index = rowOfSeq(rows, landing.seq)
    if (index === -1) return
    landed.current = landing
    toRow(index)
  })

  const items = list.getVirtualItems()
  const first = items[0]?.index ?? rows.length
  useEffect(() => {
    if (first < NEAR_TOP) onNearTop()
  }, [first, onNearTop])

  return (
    <div className={styles.frame}>
      <div
        ref={box}
        className={styles.log}
        role="log"
        aria-label="Conversation"
        aria-live={fresh === 0 ? 'polite' : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={onScroll}
      >
        <div className={styles.track} style={{ height: list.getTotalSize() }}>
          <div className={styles.column} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(item => {
              const row = rows[item.index]
              if (row === undefined) return null
              return (
                <div
                  key={item.key}
                  ref={list.measureElement}
                  data-index={item.index}
                  className={styles.row}
                  style={{ paddingTop: gap(item.index) }}
                >
                  <RowView
                    row={row}
                    open={isOpen(row)}
                    joinsAbove={sharesList(rows[item.index - 1], row)}
                    joinsBelow={sharesList(row, rows[item.index + 1])}
                    context={context}
                  />
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {above !== null && <div className={styles.above}>{above}</div>}
      {fresh > 0 && (
        <button type="button" className={styles.fresh} onClick={toTail}>
          <Icon name="arrowDown" size={12} />
          {fresh} new
        </button>
      )}
    </div>
  )
}
