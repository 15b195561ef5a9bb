import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect } from 'react'
import { type Row, rowHeight } from './row.ts'

const OVERSCAN = 10

/** The rows to mount: those in view, some around them, and the one that holds the focus. */
export function useTreeVirtualizer(
  rows: readonly Row[],
  activeIndex: number,
  scroller: RefObject<HTMLDivElement | null>,
  request: { readonly key: string; readonly count: number } | null,
): { readonly items: readonly VirtualItem[]; readonly totalSize: number } {
  const virtualizer = useVirtualizer({
    count: rows.length,
    overscan: OVERSCAN,
    paddingEnd: 8,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => heightAt(rows, index), [rows]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    rangeExtractor: useCallback(
      (range: Range) => {
        const indexes = defaultRangeExtractor(range)
        if (activeIndex < 0 || activeIndex >= range.count || indexes.includes(activeIndex)) return indexes
        return [...indexes, activeIndex].sort((one, other) => one - other)
      },
      [activeIndex],
    ),
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a wish scrolls, never a change of the rows
  useEffect(() => {
    if (request === null) return
    const index = rows.findIndex(row => row.key === request.key)
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [request])

  return { items: virtualizer.getVirtualItems(), totalSize: virtualizer.getTotalSize() }
}

function heightAt(rows: readonly Row[], index: number): number {
  const row = rows[index]
  return row === undefined ? 0 : rowHeight(row)
}
