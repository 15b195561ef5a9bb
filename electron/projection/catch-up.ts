import { setTimeout } from 'node:timers/promises'
import type { CheckpointStore } from '../store/persistence.ts'

/** Sessions that a start waits for: those a killed process left behind are few and the latest. */
const FIRST = 100
/** Nor does it wait longer than this for one whose log is very long. */
const PATIENCE_MS = 3000
/** Per request after that, so that other work of the store gets its turn. */
const SLICE = 50

/**
 * After a crash checkpoints lag behind their logs, after an upgrade they are of other units: rows would show what was
 * before, or nothing. Resolves when the latest sessions are right, take too long, or could not be written: a start does not
 * fail over a shortcut. The rest follows in the background until `signal`.
 */
export async function catchUpCheckpoints(
  checkpoints: Pick<CheckpointStore, 'behind' | 'catchUp' | 'caughtUp'>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  const ids = await checkpoints.behind(signal)
  if (ids.length > 0) {
    const first = checkpoints.catchUp(ids.slice(0, FIRST)).catch(onError)
    await Promise.race([first, setTimeout(PATIENCE_MS, undefined, { ref: false })])
  }
  const rest = async () => {
    for (let at = FIRST; at < ids.length && !signal.aborted; at += SLICE) {
      await checkpoints.catchUp(ids.slice(at, at + SLICE))
    }
    if (!signal.aborted) await checkpoints.caughtUp()
  }
  rest().catch(error => {
    if (!signal.aborted) onError(error)
  })
}
