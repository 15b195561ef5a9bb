import type Database from 'better-sqlite3'
import { type Answer, answer } from '../wire.ts'
import { ODD_HEADER } from './migrations.ts'
import { readHeader, SESSION_COLUMNS, type SessionRow } from './session-rows.ts'

const MOST_SENTENCES = 1000

/** Reads the whole database. One sentence per finding, as far as a person can act on them. */
export function createCheck(db: Database.Database) {
  return {
    check(): Answer<readonly string[]> {
      const found = [
        ...fileProblems(db),
        ...headerProblems(db),
        ...logProblems(db),
        ...textProblems(db),
        ...checkpointProblems(db),
      ]
      const left = found.length - MOST_SENTENCES
      return answer(left > 0 ? [...found.slice(0, MOST_SENTENCES), `And ${left} more findings.`] : found)
    },
  }
}

function fileProblems(db: Database.Database): string[] {
  const lines = db.prepare<[], string>('PRAGMA quick_check(20)').pluck().all()
  const strays = db.prepare<[], string>('SELECT "table" FROM pragma_foreign_key_check').pluck().all()
  return [
    ...lines.filter(line => line !== 'ok').map(line => `The database file is damaged: ${line}.`),
    ...[...new Set(strays)].map(table => `The table ${table} holds rows of sessions that do not exist.`),
  ]
}

function headerProblems(db: Database.Database): string[] {
  const rows = db.prepare<[], SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM session s WHERE s.key IN (SELECT key FROM session WHERE ${ODD_HEADER})`,
  )
  return rows.all().flatMap(row => {
    const read = readHeader(row)
    return read.kind === 'unreadable' ? [`Session ${row.id} cannot be opened. ${read.problem}`] : []
  })
}

function logProblems(db: Database.Database): string[] {
  const rows = db.prepare<[], { id: string; stated: number; stored: number; last: number | null }>(
    `SELECT s.id, s.end_seq AS stated, count(e.seq) AS stored, max(e.seq) AS last
     FROM session s LEFT JOIN event e ON e.session_key = s.key
     GROUP BY s.key HAVING stored <> stated OR (last IS NOT NULL AND last <> stated - 1)`,
  )
  return rows.all().map(({ id, stated, stored, last }) => {
    const end = last === null ? 'none is there' : `the last one there is ${last}`
    return `Session ${id} should hold ${stated} events and holds ${stored}; ${end}.`
  })
}

function textProblems(db: Database.Database): string[] {
  const rows = db.prepare<[], { id: string; broken: number; first: number }>(
    `SELECT s.id, count(*) AS broken, min(e.seq) AS first FROM event e JOIN session s ON s.key = e.session_key
     WHERE typeof(e.data) <> 'text' OR NOT json_valid(e.data) OR typeof(e.time) NOT IN ('integer', 'real')
     GROUP BY s.key`,
  )
  return rows
    .all()
    .map(({ id, broken, first }) => `Session ${id} holds ${broken} unreadable events, the first at ${first}.`)
}

function checkpointProblems(db: Database.Database): string[] {
  const ids = db.prepare<[], string>(
    `SELECT DISTINCT s.id FROM checkpoint_row r JOIN session s ON s.key = r.session_key WHERE r.seq >= s.end_seq`,
  )
  return ids
    .pluck()
    .all()
    .map(id => `The checkpoint of session ${id} is ahead of its log; it is not used.`)
}
