import { headerOf, type LogRow, type Logs, type SessionRows, storedSession } from './logs.ts'
import type { ListFilter, SessionListing, StoredSession } from './persistence.ts'
import { type Answer, answer, answerInPieces } from './wire.ts'

export function createSessionLists<Row extends LogRow>(logs: Logs<Row>, sessions: SessionRows<Row>) {
  return {
    list(filter: ListFilter): Answer<SessionListing> {
      const unreadable = new Map<string, string>()
      const texts: string[] = []
      for (const row of sessions.rows(filter)) {
        const read = logs.readHeader(row)
        if (read.kind === 'header') texts.push(JSON.stringify(storedSession(row, read.header)))
        else unreadable.set(row.id, read.problem)
      }
      if (filter.kind === 'roots' || filter.kind === 'all') {
        for (const row of sessions.unreadable()) {
          const read = logs.readHeader(row)
          if (read.kind === 'unreadable') unreadable.set(row.id, read.problem)
        }
      } else {
        unreadable.clear() // a record whose header cannot be read is nobody's child
      }
      const problems = [...unreadable].map(([id, problem]) => ({ id: String(id), problem }))
      return answerInPieces<SessionListing, 'sessions'>({ unreadable: problems }, 'sessions', texts)
    },

    get(id: string): Answer<StoredSession | null> {
      const row = logs.find(id)
      return answer(row === undefined ? null : storedSession(row, headerOf(logs, row)))
    },
  }
}
