import type Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { type Answer, answer } from '../wire.ts'

/** Putting sessions aside. Nothing is deleted: marks are set and taken away again. */
export function createTrash(db: Database.Database) {
  const setArchived = db.prepare<[number, string]>(
    'UPDATE session SET archived = ? WHERE id = ? AND trashed_at IS NULL',
  )
  const trashTree = db.prepare<{ id: string; now: number }>(
    `WITH RECURSIVE tree (id) AS (
       SELECT id FROM session WHERE id = @id AND trashed_at IS NULL
       UNION
       SELECT c.id FROM tree JOIN session c ON c.parent_session = tree.id AND c.trashed_at IS NULL
     )
     UPDATE session SET trashed_at = @now, trashed_with = @id WHERE id IN (SELECT id FROM tree)`,
  )
  const trashedWith = db.prepare<[string], string>('SELECT trashed_with FROM session WHERE id = ?').pluck()
  const bringBack = db.prepare<[string]>(
    'UPDATE session SET trashed_at = NULL, trashed_with = NULL WHERE trashed_with = ?',
  )

  return {
    archive(id: string, archived: boolean): Answer<null> {
      if (setArchived.run(archived ? 1 : 0, id).changes === 0) throw notFound(id)
      return answer(null)
    },

    trash(id: string): Answer<number> {
      const { changes } = trashTree.run({ id, now: Date.now() })
      if (changes === 0) throw notFound(id)
      return answer(changes)
    },

    /** Everything that was put aside together with `id`, and nothing that was put aside before. */
    restore(id: string): Answer<null> {
      const act = trashedWith.get(id)
      if (act === undefined) throw notFound(id)
      if (act !== null) bringBack.run(act)
      return answer(null)
    },
  }
}

function notFound(id: string): WorkbenchError {
  return new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
}
