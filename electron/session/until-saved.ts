import { hasCode, WorkbenchError } from '#shared/errors.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { Session } from './session.ts'

const AGAIN_MS = 500

/**
 * The barrier before a model request or a tool's body: resolves when everything logged is durable. While saving
 * fails, or does not end, it waits, so that nothing new is done that could be lost (contracts §2). An abort ends
 * the wait at once: the caller looks at its signal.
 */
export async function untilSaved(live: LiveSessions, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>()
  const onAbort = (): void => resolve('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    while (!signal.aborted) {
      if ((await Promise.race([flushed(live), aborted])) !== 'failed') return
      await Promise.race([pause(AGAIN_MS), aborted])
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function flushed(live: LiveSessions): Promise<'saved' | 'failed'> {
  try {
    await live.flush()
    return 'saved'
  } catch (error) {
    if (!hasCode(error, 'NOT_SAVED')) throw error
    return 'failed'
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

const PATIENCE_MS = 10_000

/**
 * For whoever is waited for: resolves when everything logged is durable, and bears with saving that fails for a
 * moment.
 * @throws WorkbenchError `NOT_SAVED` after ten seconds: what was logged counts, and is still tried. `SEQ_CONFLICT`
 * when the log of `session` went on elsewhere meanwhile: what was logged here is not part of it.
 */
export async function savedInTime(
  live: LiveSessions,
  session: Session,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs)
  await untilSaved(live, patience)
  if (live.trouble === null && session.isClosed && session.savedSeq < session.nextSeq) {
    throw new WorkbenchError('SEQ_CONFLICT', 'The record was changed from elsewhere, so this was not taken.')
  }
  if (!patience.aborted || live.trouble === null) return
  throw new WorkbenchError('NOT_SAVED', 'It was taken, but it is not saved yet: see the banner for why.')
}
