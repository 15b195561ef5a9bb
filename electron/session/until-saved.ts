import { hasCode } from '#shared/errors.ts'
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
