/** A window that is covered counts as visible and paints nothing, and a busy machine paints seldom. */
const LONGEST_WAIT_MS = 50

/**
 * At most one update per painted frame: what it returns resolves at once when nothing changed since the last one, else
 * when that change was painted, or after 50 ms.
 */
export function createPaintPace(): () => Promise<void> {
  let painted: Promise<void> = Promise.resolve()
  return async () => {
    await painted
    painted = nextFrame()
  }
}

function nextFrame(): Promise<void> {
  if (typeof document === 'undefined' || document.visibilityState === 'hidden') return Promise.resolve()
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      resolve()
    }
    const timer = setTimeout(done, LONGEST_WAIT_MS)
    const frame = requestAnimationFrame(done)
  })
}
