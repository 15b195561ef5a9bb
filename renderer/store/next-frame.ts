/** A window that is covered by another one counts as visible and paints nothing. */
const NO_FRAME_MS = 100

/** Resolves with the next animation frame, at once where nothing is painted. */
export function nextFrame(): Promise<void> {
  if (typeof document === 'undefined' || document.visibilityState === 'hidden') return Promise.resolve()
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      resolve()
    }
    const timer = setTimeout(done, NO_FRAME_MS)
    const frame = requestAnimationFrame(done)
  })
}
