import type Database from 'better-sqlite3'
import type { Unit } from '#shared/projection/unit.ts'
import { isSessionId } from '#shared/session/ids.ts'
import type { ThreadMethods } from './methods.ts'

const SESSIONS = 60
/** Enough for the engine to compile what it has seen. */
const ROUNDS = 6

/**
 * Reads some checkpoints before the thread says it is ready: schemas, statements and the code around them are
 * compiled at their first uses, and the first listing of a window would pay for it.
 */
export function warmUp(
  db: Database.Database,
  { readCheckpoints }: Pick<ThreadMethods, 'readCheckpoints'>,
  units: readonly Unit[],
): void {
  const ids = db
    .prepare<[number], string>('SELECT id FROM session WHERE trashed_at IS NULL LIMIT ?')
    .pluck()
    .all(SESSIONS)
    .filter(isSessionId)
  const keys = units.map(({ key }) => key)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const piece of readCheckpoints(ids, keys).pieces ?? []) JSON.parse(piece)
  }
}
