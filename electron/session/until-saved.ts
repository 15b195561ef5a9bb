import { hasCode, WorkbenchError } from '#shared/errors.ts'
import type { LiveSessions } from './live-sessions.ts'

const AGAIN_MS = 500

/**
 * The barrier before a model request or a tool's body: resolves when everything logged is durable. While saving
 * fails it waits, so that nothing new is done that could be lost (contracts §2). An abort ends the wait: the
 * caller looks at its signal.
 */
export async function untilSaved(live: LiveSessions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await live.flush()
    } catch (error) {
      if (!hasCode(error, 'NOT_SAVED')) throw error
      await new Promise<void>(resolve => {
        const timer = setTimeout(done, AGAIN_MS)
        signal.addEventListener('abort', done, { once: true })
        function done() {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          resolve()
        }
      })
    }
  }
}

const PATIENCE_MS = 10_000

/**
 * For whoever is waited for: resolves when everything logged is durable, and bears with saving that fails for a
 * moment.
 * @throws WorkbenchError `NOT_SAVED` after ten seconds: what was logged counts, and is still tried.
 */
export async function savedInTime(live: LiveSessions, patienceMs = PATIENCE_MS): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs)
  await untilSaved(live, patience)
  if (!patience.aborted || live.trouble === null) return
  throw new WorkbenchError('NOT_SAVED', 'It was taken, but it is not saved yet: see the banner for why.')
}
