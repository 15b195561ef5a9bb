import type Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { isSessionId } from '#shared/session/ids.ts'
import type { CheckpointReads } from '../checkpoint-reads.ts'
import type { TrashedTree } from '../persistence.ts'
import { type Answer, answer } from '../wire.ts'

interface TrashedRow {
  readonly key: number
  readonly id: string
  readonly cwd: unknown
  readonly trashedAt: number
  readonly endSeq: number
  readonly act: string
}

/** In the place of the act: being deleted for good. No session has such an id, so nothing brings it back. */
export const PURGED = '~purged'

/** `origin` tells what was delegated: a fork is a session in its own right and stays. */
const DELEGATED = "c.origin = 'subagent' AND c.id <> tree.id"

/**
 * Putting sessions aside. An act takes a session and everything delegated below it, and is undone as a whole. A record
 * that is archived holds in `archived` the negative key of the session that the act began with (1: one of
 * an earlier version); one in the trash holds its id in `trashed_with`.
 */
export function createTrash(db: Database.Database, checkpoints: Pick<CheckpointReads, 'labelOf'>) {
  const keyOf = db
    .prepare<[string], number>('SELECT key FROM session WHERE id = ? AND trashed_at IS NULL')
    .pluck()
  const archivedWith = db.prepare<[number], number>('SELECT archived FROM session WHERE key = ?').pluck()
  const archiveTree = db.prepare<{ id: string; act: number }>(
    `WITH RECURSIVE tree (id) AS (
       SELECT id FROM session WHERE id = @id AND trashed_at IS NULL
       UNION
       SELECT c.id FROM tree JOIN session c ON c.parent_session = tree.id AND c.trashed_at IS NULL AND ${DELEGATED}
     )
     UPDATE session SET archived = @act WHERE archived = 0 AND id IN (SELECT id FROM tree)`,
  )
  // Only within the tree: keys of a copied database may have been given out again.
  const unarchive = db.prepare<{ id: string; act: number }>(
    `WITH RECURSIVE above (id) AS (
       SELECT @id
       UNION
       SELECT p.id FROM above JOIN session s ON s.id = above.id AND s.origin = 'subagent'
         JOIN session p ON p.id = s.parent_session AND p.archived = @act
     ), tree (id) AS (
       SELECT id FROM above
       UNION
       SELECT c.id FROM tree JOIN session c ON c.parent_session = tree.id AND ${DELEGATED}
     )
     UPDATE session SET archived = 0 WHERE archived = @act AND id IN (SELECT id FROM tree)`,
  )

  const trashTree = db.prepare<{ id: string; now: number }>(
    `WITH RECURSIVE tree (id) AS (
       SELECT id FROM session WHERE id = @id AND trashed_at IS NULL
       UNION
       SELECT c.id FROM tree JOIN session c ON c.parent_session = tree.id AND c.trashed_at IS NULL AND ${DELEGATED}
     )
     UPDATE session SET trashed_at = @now, trashed_with = @id WHERE id IN (SELECT id FROM tree)`,
  )
  const trashedWith = db
    .prepare<[string], string | null>(`SELECT trashed_with FROM session WHERE id = ?`)
    .pluck()
  const bringBack = db.prepare<[string]>(
    'UPDATE session SET trashed_at = NULL, trashed_with = NULL WHERE trashed_with = ?',
  )
  // Named by another of its sessions where a rescue could not read the one it began with.
  const acts = db.prepare<[string], TrashedRow>(
    `SELECT s.key, s.id, s.cwd, s.trashed_at AS trashedAt, s.end_seq AS endSeq, s.trashed_with AS act
     FROM (SELECT trashed_with AS act, min(key) AS first FROM session
       WHERE trashed_with IS NOT NULL AND trashed_with <> ? GROUP BY trashed_with) one
     JOIN session s ON s.key = coalesce(
       (SELECT key FROM session WHERE id = one.act AND trashed_with = one.act), one.first)
     ORDER BY s.trashed_at DESC, s.key DESC`,
  )
  /** Also what was thrown away before from below them: nothing could show it again. */
  const doomed = `WITH RECURSIVE tree (id) AS (
       SELECT id FROM session WHERE trashed_with = @act
       UNION
       SELECT c.id FROM tree JOIN session c ON c.parent_session = tree.id AND c.trashed_at IS NOT NULL AND ${DELEGATED}
     )`
  const countDoomed = db.prepare<{ act: string }, number>(`${doomed} SELECT count(*) FROM tree`).pluck()
  const condemn = db.prepare<{ act: string; purged: string }>(
    `${doomed} UPDATE session SET trashed_with = @purged WHERE id IN (SELECT id FROM tree)`,
  )

  /** The act that a session is in the trash with. @throws WorkbenchError `SESSION_NOT_FOUND`. */
  function actOf(id: string): string | null {
    const act = trashedWith.get(id)
    if (act === undefined || act === PURGED) throw notFound(id)
    return act
  }

  return {
    reads: {
      trashed(): Answer<readonly TrashedTree[]> {
        const trees = acts.all(PURGED).flatMap(({ key, id, cwd, trashedAt, endSeq, act }): TrashedTree[] => {
          if (!isSessionId(id)) return [] // nobody can ask for it
          const sessions = countDoomed.get({ act }) ?? 1
          const label = checkpoints.labelOf(key, endSeq)
          return [{ id, label, cwd: typeof cwd === 'string' ? cwd : null, trashedAt, sessions }]
        })
        return answer(trees)
      },
    },
    writes: {
      archive(id: string, archived: boolean): Answer<number> {
        const key = keyOf.get(id)
        if (key === undefined) throw notFound(id)
        if (archived) return answer(archiveTree.run({ id, act: -key }).changes)
        const act = archivedWith.get(key) ?? 0
        return answer(act === 0 ? 0 : unarchive.run({ id, act }).changes)
      },

      trash(id: string): Answer<number> {
        const { changes } = trashTree.run({ id, now: Date.now() })
        if (changes === 0) throw notFound(id)
        return answer(changes)
      },

      restore(id: string): Answer<number> {
        const act = actOf(id)
        return answer(act === null ? 0 : bringBack.run(act).changes)
      },

      /** Nothing shows them from now on; `purgeStep` deletes them. */
      condemn(id: string): Answer<number> {
        const act = actOf(id)
        if (act === null)
          throw new WorkbenchError('BAD_REQUEST', 'Only what is in the trash is deleted for good.')
        return answer(condemn.run({ act, purged: PURGED }).changes)
      },
    },
  }
}

function notFound(id: string): WorkbenchError {
  return new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
}
