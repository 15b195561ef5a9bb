import type Database from 'better-sqlite3'
import type { SessionRows } from '../logs.ts'
import type { ListFilter } from '../persistence.ts'
import { ODD_HEADER } from './migrations.ts'
import { SESSION_COLUMNS, type SessionRow } from './session-rows.ts'

/** A session without events is not listed yet: nothing was said in it. */
const LISTED = 's.trashed_at IS NULL AND s.end_seq > 0'
const ORDER = 'ORDER BY s.created_at, s.id'

export function createListedSessions(db: Database.Database): SessionRows<SessionRow> {
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

  return {
    rows(filter: ListFilter): SessionRow[] {
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
    },
    unreadable: () => odd.iterate(),
  }
}
