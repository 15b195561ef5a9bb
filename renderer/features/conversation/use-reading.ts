import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { keepPlace, type ReadingPlace } from './reading-memory.ts'
import type { Row } from './row.ts'

type List = Virtualizer<HTMLDivElement, HTMLDivElement>

interface Reading {
  /** Rows below the last one that was seen at the tail; 0 while following. */
  readonly fresh: number
  readonly onScroll: () => void
  readonly toTail: () => void
  /** Goes to a row and stays there. */
  readonly toRow: (index: number) => void
}

interface ReadingInput {
  readonly sessionId: SessionId
  readonly list: List
  readonly box: RefObject<HTMLDivElement | null>
  readonly rows: readonly Row[]
  readonly place: ReadingPlace | undefined
  readonly kept: Pick<ReadingPlace, 'toggled' | 'showsInherited'>
}

const TAIL_PX = 4

/**
 * Follows the tail until the reader scrolls up, takes up again when they come back to it, and remembers where they
 * were when the list goes. What is above the edge may change height or get rows: the list keeps the edge.
 */
export function useReading({ sessionId, list, box, rows, place, kept }: ReadingInput): Reading {
  const follows = useRef(place?.at == null)
  const lastTop = useRef(0)
  const [seen, setSeen] = useState<string | null>(null)
  const total = list.getTotalSize()
  const lastKey = rows.findLast(row => row.kind !== 'approval')?.key ?? null

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new row or another height is what moves the tail
  useLayoutEffect(() => {
    if (follows.current) list.scrollToEnd()
    lastTop.current = box.current?.scrollTop ?? 0
  }, [list, box, total, rows])

  // What stands under the log may grow (a draft, what a resume restores) and takes its room from the log.
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])

  const restored = useRef(false)
  useLayoutEffect(
    () => () => {
      restored.current = false
    },
    [],
  )
  useLayoutEffect(() => {
    if (restored.current || rows.length === 0) return
    restored.current = true
    const index = place?.at == null ? -1 : rows.findIndex(row => row.key === place.at?.key)
    const start = index === -1 ? undefined : list.getOffsetForIndex(index, 'start')?.[0]
    if (place?.at != null && start !== undefined) list.scrollToOffset(start + place.at.offset)
    else follows.current = true
  }, [list, rows, place])

  const latest = useRef({ list, rows, kept })
  useEffect(() => {
    latest.current = { list, rows, kept }
  })
  useEffect(
    () => () => {
      const { list: now, rows: held, kept: folds } = latest.current
      const edge = follows.current ? undefined : now.getVirtualItemForOffset(now.scrollOffset ?? 0)
      const at =
        edge === undefined ? null : { key: String(edge.key), offset: (now.scrollOffset ?? 0) - edge.start }
      const heights = new Map<string, number>()
      for (const row of held) {
        const height = now.itemSizeCache.get(row.key)
        if (height !== undefined) heights.set(row.key, height)
      }
      keepPlace(sessionId, { at, heights, ...folds })
    },
    [sessionId],
  )

  const onScroll = () => {
    const element = box.current
    if (element === null) return
    const left = element.scrollHeight - element.clientHeight - element.scrollTop
    if (left <= TAIL_PX) follows.current = true
    else if (element.scrollTop < lastTop.current - 1) follows.current = false
    lastTop.current = element.scrollTop
    setSeen(follows.current ? null : known => known ?? lastKey)
  }

  const toTail = () => {
    follows.current = true
    setSeen(null)
    list.scrollToEnd()
  }

  const toRow = (index: number) => {
    follows.current = false
    setSeen(known => known ?? lastKey)
    list.scrollToIndex(index, { align: 'center' })
  }

  const from = seen === null ? -1 : rows.findIndex(row => row.key === seen)
  const fresh = from === -1 ? 0 : rows.slice(from + 1).filter(row => row.kind !== 'approval').length
  return { fresh, onScroll, toTail, toRow }
}
