import type Database from 'better-sqlite3'
import { messageOf } from '#shared/errors.ts'
import { isUnreadable } from '../backup/unreadable.ts'
import { type Answer, answer } from '../wire.ts'
import { logProblems } from './check-logs.ts'
import { ODD_HEADER } from './migrations.ts'
import { readHeader, SESSION_COLUMNS, type SessionRow } from './session-rows.ts'

const MOST_SENTENCES = 1000
/** Lines of SQLite's own check that are worth reading. */
const MOST_LINES = 20

/**
 * Reads the whole database, a session at a time. One sentence per finding, as far as a person can act on them. What is
 * damaged hides nothing else: every part is looked at under its own try.
 */
export function checkDatabase(db: Database.Database): readonly string[] {
  const parts: readonly (readonly [what: string, part: (db: Database.Database) => Iterable<string>])[] = [
    ['The pages of the database', fileProblems],
    ['The ties between its tables', strayProblems],
    ['The records of the sessions', headerProblems],
    ['The logs of the sessions', logProblems],
    ['The checkpoints', checkpointProblems],
  ]
  const found: string[] = []
  let more = 0
  for (const [what, part] of parts) {
    for (const sentence of sentencesOf(what, () => part(db))) {
      if (found.length < MOST_SENTENCES) found.push(sentence)
      else more += 1
    }
  }
  return more > 0 ? [...found, `And ${more} more findings.`] : found
}

export function createCheck(db: Database.Database) {
  return { check: (): Answer<readonly string[]> => answer(checkDatabase(db)) }
}

function* sentencesOf(what: string, part: () => Iterable<string>): Generator<string> {
  try {
    yield* part()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    yield `${what} cannot all be read (${messageOf(error)}).`
  }
}

/** SQLite's own: pages, order of rows, and whether every row is in its indexes. */
function* fileProblems(db: Database.Database): Generator<string> {
  const rows = db.prepare<[], string>(`PRAGMA integrity_check(${MOST_LINES})`).pluck().all()
  const lines = rows.flatMap(row => row.split('\n')).filter(line => line !== 'ok' && !line.startsWith('***'))
  for (const line of lines.slice(0, MOST_LINES)) yield `The database file is damaged: ${line}.`
}

function* strayProblems(db: Database.Database): Generator<string> {
  const tables = db.prepare<[], string>('SELECT DISTINCT "table" FROM pragma_foreign_key_check').pluck().all()
  for (const table of tables) yield `The table ${table} holds rows of sessions that do not exist.`
}

function* headerProblems(db: Database.Database): Generator<string> {
  const rows = db.prepare<[], SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM session s WHERE s.key IN (SELECT key FROM session WHERE ${ODD_HEADER})`,
  )
  for (const row of rows.all()) {
    const read = readHeader(row)
    if (read.kind === 'unreadable') yield `Session ${row.id} cannot be opened. ${read.problem}`
  }
}

function* checkpointProblems(db: Database.Database): Generator<string> {
  const ids = db.prepare<[], string>(
    `SELECT DISTINCT s.id FROM checkpoint_row r JOIN session s ON s.key = r.session_key WHERE r.seq >= s.end_seq`,
  )
  for (const id of ids.pluck().all())
    yield `The checkpoint of session ${id} is ahead of its log; it is not used.`
}
