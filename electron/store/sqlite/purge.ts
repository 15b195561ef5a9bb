import type Database from 'better-sqlite3'
import type { CheckpointReads } from '../checkpoint-reads.ts'
import { type Answer, answer } from '../wire.ts'
import { PURGED } from './trash.ts'

/** Rows that are deleted between two looks at the clock. */
const ROWS = 200
/** An append never waits longer for a step than this, and one stretch of rows. */
const STEP_MS = 8

/**
 * Deletes what was condemned, a little at a time, so that appends never wait for a long log. A kill in between costs
 * nothing: what is left is still condemned.
 */
export function createPurge(
  db: Database.Database,
  checkpoints: Pick<CheckpointReads, 'drop'>,
  outputs: { dropOutputs(key: number): void },
) {
  const next = db.prepare<[string], number>('SELECT key FROM session WHERE trashed_with = ? LIMIT 1').pluck()
  const dropEvents = db.prepare<{ key: number; rows: number }>(
    `DELETE FROM event WHERE session_key = @key
       AND seq IN (SELECT seq FROM event WHERE session_key = @key ORDER BY seq LIMIT @rows)`,
  )
  const dropLost = db.prepare<[number]>('DELETE FROM lost_event WHERE session_key = ?')
  const dropDraft = db.prepare<[number]>('DELETE FROM draft WHERE session_key = ?')
  const dropSession = db.prepare<[number]>('DELETE FROM session WHERE key = ?')

  const step = db.transaction((until: number): boolean => {
    for (let key = next.get(PURGED); key !== undefined; key = next.get(PURGED)) {
      while (dropEvents.run({ key, rows: ROWS }).changes > 0) if (performance.now() > until) return false
      dropLost.run(key)
      dropDraft.run(key)
      checkpoints.drop(key)
      outputs.dropOutputs(key)
      dropSession.run(key)
      if (performance.now() > until) return false
    }
    return true
  })

  return {
    /** @returns whether nothing is left to delete. */
    purgeStep(): Answer<boolean> {
      // What was deleted for good is not left readable in free pages.
      db.pragma('secure_delete = ON')
      try {
        return answer(step(performance.now() + STEP_MS))
      } finally {
        db.pragma('secure_delete = OFF')
      }
    },
  }
}
