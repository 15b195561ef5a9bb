import { useSyncExternalStore } from 'react'

/** One clock for every elapsed time on screen. It stands still while the window is hidden. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null
let now = Date.now()

function tick(): void {
  if (document.hidden) return
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(tick, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

const never = () => () => {}

/** Epoch ms, to the second. `ticking` false: the time of the last tick, and no render for it. */
export function useNow(ticking: boolean): number {
  return useSyncExternalStore(ticking ? subscribe : never, () =>
    listeners.size === 0 ? currentMinute() : now,
  )
}

/** Without a running clock the snapshot has to be stable between renders. */
function currentMinute(): number {
  const at = Date.now()
  if (at - now > 60_000) now = at
  return now
}
