import { useCallback, useEffect, useRef, useState } from 'react'
import { type Failure, failureOf } from '../../../store/failure.ts'
import { type HeldLines, rangeAfter, rangeAround, rangeBefore, withAfter, withBefore } from './held-lines.ts'
import type { OutputSource } from './output-source.ts'

/** What is held, and how many lines came (or, negative, went) above it with the last change. */
export interface HeldView {
  readonly held: HeldLines
  readonly shift: number
  /** Where the reader was taken with the last change; `null` when they stay. */
  readonly landed: 'start' | 'end' | null
}

/** The lines of an output around the reader. One read at a time; a jump ends the one under way. */
export function useHeldLines(source: OutputSource, size: number) {
  const [view, setView] = useState<HeldView>({ held: { size, parts: [] }, shift: 0, landed: null })
  const [failure, setFailure] = useState<Failure | null>(null)
  const reading = useRef<AbortController | null>(null)

  const read = useCallback(
    async (range: { from: number; length: number }, take: (from: number, bytes: Uint8Array) => void) => {
      const own = new AbortController()
      const { signal } = own
      reading.current = own
      try {
        const { bytes } = await source.read(range, signal)
        signal.throwIfAborted()
        setFailure(null)
        take(range.from, bytes)
      } catch (error) {
        if (!signal.aborted) setFailure(failureOf(error))
      } finally {
        if (reading.current === own) reading.current = null
      }
    },
    [source],
  )

  const goTo = useCallback(
    (byte: number) => {
      reading.current?.abort()
      void read(rangeAround(size, byte), (from, bytes) => {
        const { held } = withAfter({ size, parts: [] }, from, bytes)
        setView({ held, shift: 0, landed: byte >= size ? 'end' : 'start' })
      })
    },
    [read, size],
  )

  const readOn = useCallback(
    (held: HeldLines) => {
      const range = rangeAfter(held)
      if (range === null || reading.current !== null) return
      void read(range, (from, bytes) => {
        const { held: next, dropped } = withAfter(held, from, bytes)
        setView({ held: next, shift: -dropped, landed: null })
      })
    },
    [read],
  )

  const readBack = useCallback(
    (held: HeldLines) => {
      const range = rangeBefore(held)
      if (range === null || reading.current !== null) return
      void read(range, (from, bytes) => {
        const { held: next, added } = withBefore(held, from, bytes)
        setView({ held: next, shift: added, landed: null })
      })
    },
    [read],
  )

  useEffect(() => {
    goTo(0)
    return () => reading.current?.abort()
  }, [goTo])

  return { view, failure, goTo, readOn, readBack }
}
