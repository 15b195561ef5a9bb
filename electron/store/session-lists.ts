import { headerOf, type LogRow, type Logs, type SessionRows, storedSession } from './logs.ts'
import type { ListFilter, SessionListing, StoredSession } from './persistence.ts'
import { type Answer, answer, answerInPieces } from './wire.ts'

export function createSessionLists<Row extends LogRow>(logs: Logs<Row>, sessions: SessionRows<Row>) {
  /** The readable ones as they are read, so that the main thread parses the first while the next are made. */
  function* texts(
    filter: ListFilter,
    onUnreadable: (id: string, problem: string) => void,
  ): Generator<string> {
    for (const row of sessions.rows(filter)) {
      const read = logs.readHeader(row)
      if (read.kind === 'header') yield JSON.stringify(storedSession(row, read.header))
      else onUnreadable(row.id, read.problem)
    }
  }

  return {
    list(filter: ListFilter): Answer<SessionListing> {
      if (filter.kind === 'children' || filter.kind === 'tree') {
        // A record whose header cannot be read is nobody's child.
        return inPieces(
          { unreadable: [] },
          texts(filter, () => {}),
        )
      }
      const unreadable = new Map<string, string>()
      const readable = [...texts(filter, (id, problem) => unreadable.set(id, problem))]
      for (const row of sessions.unreadable()) {
        const read = logs.readHeader(row)
        if (read.kind === 'unreadable') unreadable.set(row.id, read.problem)
      }
      const problems = [...unreadable].map(([id, problem]) => ({ id: String(id), problem }))
      return inPieces({ unreadable: problems }, readable)
    },

    get(id: string): Answer<StoredSession | null> {
      const row = logs.find(id)
      return answer(row === undefined ? null : storedSession(row, headerOf(logs, row)))
    },
  }
}

function inPieces(rest: Omit<SessionListing, 'sessions'>, texts: Iterable<string>): Answer<SessionListing> {
  return answerInPieces<SessionListing, 'sessions'>(rest, 'sessions', texts)
}
