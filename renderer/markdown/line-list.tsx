import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import styles from './line-list.module.css'

const LINE = 19
/** Lines that stand in the page as they are; more of them scroll in a box that mounts what it shows. */
const PLAIN_LINES = 240

interface LineListProps {
  readonly count: number
  readonly renderLine: (index: number) => ReactNode
  /** Accessible name of the scrolling box. */
  readonly label: string
}

/** Lines of one height. However many there are, the number of elements stays bounded. */
export function LineList({ count, renderLine, label }: LineListProps) {
  if (count > PLAIN_LINES) return <ScrollingLines count={count} renderLine={renderLine} label={label} />
  return (
    <div className={styles.lines}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
        <div key={index} className={styles.line}>
          {renderLine(index)}
        </div>
      ))}
    </div>
  )
}

function ScrollingLines({ count, renderLine, label }: LineListProps) {
  const box = useRef<HTMLElement>(null)
  const list = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => LINE,
    overscan: 12,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={styles.box} tabIndex={0} aria-label={label}>
      <div className={styles.track} style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(item => (
          <div
            key={item.index}
            className={styles.placed}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {renderLine(item.index)}
          </div>
        ))}
      </div>
    </section>
  )
}
