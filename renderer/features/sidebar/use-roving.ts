import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import type { Row } from './row.ts'
import { canFocus } from './tree-keys.ts'

interface Roving {
  /** The one row that Tab reaches. */
  readonly key: string | null
  readonly index: number
  readonly hasFocus: boolean
  /** Raised with each wish to bring a row into view. */
  readonly request: { readonly key: string; readonly count: number } | null
  readonly setKey: (key: string) => void
  readonly focus: (key: string) => void
  readonly handlers: {
    readonly onFocus: (event: { target: EventTarget }) => void
    readonly onBlur: (event: { target: EventTarget }) => void
  }
}

/**
 * Keeps one row in the tab order and the focus on it. When rows come, go or change places under it the focus
 * stays on the same session; when that is gone it goes to what took its place.
 */
export function useRoving(
  rows: readonly Row[],
  open: SessionId | null,
  scroller: RefObject<HTMLElement | null>,
): Roving {
  const [wanted, setWanted] = useState<string | null>(null)
  const [hasFocus, setHasFocus] = useState(false)
  const [request, setRequest] = useState<Roving['request']>(null)
  const lastIndex = useRef(0)
  const index = useMemo(() => indexOf(rows, wanted, open, lastIndex.current), [rows, wanted, open])
  const key = rows[index]?.key ?? null

  useLayoutEffect(() => {
    lastIndex.current = Math.max(0, index)
    if (!hasFocus || key === null) return
    const active = document.activeElement
    const isLost = active === null || active === document.body
    const onOtherRow =
      active instanceof HTMLElement && active.dataset['row'] !== undefined && active.dataset['row'] !== key
    if (isLost || onOtherRow) rowElement(scroller.current, key)?.focus({ preventScroll: true })
  })

  const focus = useCallback((next: string) => {
    setWanted(next)
    setRequest(held => ({ key: next, count: (held?.count ?? 0) + 1 }))
  }, [])

  const handlers = useMemo(
    () => ({
      onFocus: ({ target }: { target: EventTarget }) => {
        setHasFocus(true)
        const row = target instanceof HTMLElement ? target.dataset['row'] : undefined
        if (row !== undefined) setWanted(row)
      },
      onBlur: ({ target }: { target: EventTarget }) => {
        // A row that leaves the page while it has the focus blurs to nothing: the focus is still ours then.
        requestAnimationFrame(() => {
          const active = document.activeElement
          if (scroller.current?.contains(active) === true) return
          if (active !== document.body || (target instanceof Node && target.isConnected)) setHasFocus(false)
        })
      },
    }),
    [scroller],
  )
  return { key, index, hasFocus, request, setKey: setWanted, focus, handlers }
}

export function rowElement(scroller: HTMLElement | null, key: string): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? null
}

function indexOf(
  rows: readonly Row[],
  wanted: string | null,
  open: SessionId | null,
  before: number,
): number {
  const held = rows.findIndex(row => row.key === wanted)
  if (held >= 0) return held
  if (wanted === null) {
    const selected = rows.findIndex(row => row.key === open)
    return selected >= 0 ? selected : rows.findIndex(row => row.kind === 'session')
  }
  const near = Math.min(before, rows.length - 1)
  const below = rows.findIndex((row, index) => index >= near && canFocus(row))
  return below >= 0 ? below : rows.findLastIndex(canFocus)
}
