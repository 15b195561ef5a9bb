import type Database from 'better-sqlite3'
import type { ListFilter, SessionListing, StoredSession } from '../persistence.ts'
import { type Answer, answer, answerInPieces } from '../wire.ts'
import type { LogTable } from './log-table.ts'
import { ODD_HEADER } from './migrations.ts'
import { headerOf, readHeader, SESSION_COLUMNS, type SessionRow, storedSession } from './session-rows.ts'

/** A session without events is not listed yet: nothing was said in it. */
const LISTED = 's.trashed_at IS NULL AND s.end_seq > 0'
const ORDER = 'ORDER BY s.created_at, s.id'

export function createSessionLists(db: Database.Database, table: LogTable) {
  const select = `SELECT ${SESSION_COLUMNS} FROM session s`
  const roots = db.prepare<[], SessionRow>(`${select} WHERE s.origin IS NULL AND ${LISTED} ${ORDER}`)
  const children = db.prepare<[string], SessionRow>(
    `${select} WHERE s.parent_session = ? AND s.origin = 'subagent' AND ${LISTED} ${ORDER}`,
  )
  const all = db.prepare<[], SessionRow>(`${select} WHERE ${LISTED} ${ORDER}`)
  const tree = db.prepare<[string, string], SessionRow>(
    `WITH RECURSIVE below (id) AS (
       SELECT id FROM session WHERE parent_session = ? AND trashed_at IS NULL
       UNION
       SELECT c.id FROM below JOIN session c ON c.parent_session = below.id AND c.trashed_at IS NULL
     )
     ${select} WHERE s.id IN (SELECT id FROM below) AND s.id <> ? AND ${LISTED} ${ORDER}`,
  )
  const odd = db.prepare<[], SessionRow>(
    `${select} WHERE s.key IN (SELECT key FROM session WHERE ${ODD_HEADER}) AND s.trashed_at IS NULL ORDER BY s.key`,
  )

  function rowsOf(filter: ListFilter): SessionRow[] {
    switch (filter.kind) {
      case 'roots':
        return roots.all()
      case 'children':
        return children.all(filter.parent)
      case 'tree':
        return tree.all(filter.root, filter.root)
      case 'all':
        return all.all()
    }
  }

  return {
    list(filter: ListFilter): Answer<SessionListing> {
      const unreadable = new Map<string, string>()
      const texts: string[] = []
      for (const row of rowsOf(filter)) {
        const read = readHeader(row)
        if (read.kind === 'header') texts.push(JSON.stringify(storedSession(row, read.header)))
        else unreadable.set(row.id, read.problem)
      }
      if (filter.kind === 'roots' || filter.kind === 'all') {
        for (const row of odd.iterate()) {
          const read = readHeader(row)
          if (read.kind === 'unreadable') unreadable.set(row.id, read.problem)
        }
      } else {
        unreadable.clear() // a record whose header cannot be read is nobody's child
      }
      const problems = [...unreadable].map(([id, problem]) => ({ id: String(id), problem }))
      return answerInPieces<SessionListing, 'sessions'>({ unreadable: problems }, 'sessions', texts)
    },

    get(id: string): Answer<StoredSession | null> {
      const row = table.find(id)
      return answer(row === undefined ? null : storedSession(row, headerOf(row)))
    },
  }
}
