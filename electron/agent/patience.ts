/**
 * What `work` ends with, or `null` when it goes on for `ms` after the signal: nobody waits for it any longer, and what it
 * says later is lost. Rejects as `work` does, when it does so in time.
 */
export async function endedInTime<T>(work: Promise<T>, signal: AbortSignal, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => (timer = setTimeout(() => late.resolve(null), ms))
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
