import Database from 'better-sqlite3'
import { FACT_KEYS } from '#shared/subagent/facts.ts'
import { databaseFile } from '../store/data-folder.ts'

/*
 * What the same reads cost with nothing of ours around them: prepared statements on the main thread and
 * `JSON.parse`. The limits that benchmarks are compared with.
 */

const KEYS = ['subagent', 'title', ...FACT_KEYS]
const KEY_LIST = KEYS.map(key => `'${key}'`).join(', ')

const HEADER = `s.id, s.version, s.created_at, s.cwd, s.parent_session, s.seed_length, s.origin, s.delegation_depth,
    s.preset, s.end_seq, s.last_time, s.archived,
    EXISTS (SELECT 1 FROM session b WHERE b.parent_session = s.id AND b.origin = 'subagent' AND b.trashed_at IS NULL)`
const LISTED = `
  SELECT ${HEADER}, c.facts, c.faults, r.key, r.seq, r.state
  FROM session s LEFT JOIN checkpoint c ON c.session_key = s.key
    LEFT JOIN checkpoint_row r ON r.session_key = s.key AND r.key IN (${KEY_LIST})`
const ORDER = 'ORDER BY s.created_at, s.id'
const FAULTS = 14
const STATE = 17

/** The children of a session with what a listing says of them. */
export function bareListing(dataFolder: string, root: string): () => number {
  const db = connect(dataFolder)
  const rows = db
    .prepare<[string], unknown[]>(`${LISTED} WHERE s.parent_session = ? AND s.origin = 'subagent' ${ORDER}`)
    .raw()
  return () => parseRows(rows.all(root))
}

/** The sessions that nobody delegated, each with its title. */
export function bareRoots(dataFolder: string): () => unknown[] {
  const db = connect(dataFolder)
  const roots = db
    .prepare<[], unknown[]>(
      `SELECT s.id, s.created_at, s.cwd, s.archived, s.last_time,
         EXISTS (SELECT 1 FROM session b WHERE b.parent_session = s.id AND b.origin = 'subagent' AND b.trashed_at IS NULL),
         c.facts, (SELECT json_group_object(r.key, json(r.state)) FROM checkpoint_row r
           WHERE r.session_key = s.key AND r.key IN (${KEY_LIST}))
       FROM session s LEFT JOIN checkpoint c ON c.session_key = s.key
       WHERE s.origin IS NULL AND s.trashed_at IS NULL ${ORDER}`,
    )
    .raw()
  return () => roots.all().map(row => [...row.slice(0, -1), JSON.parse(String(row.at(-1)))])
}

/** The same for a whole tree. */
export function bareTree(dataFolder: string, root: string): () => number {
  const db = connect(dataFolder)
  const rows = db
    .prepare<[string], unknown[]>(
      `WITH RECURSIVE below (id) AS (
         SELECT id FROM session WHERE parent_session = ?
         UNION SELECT c.id FROM below JOIN session c ON c.parent_session = below.id
       ) ${LISTED} WHERE s.id IN (SELECT id FROM below) ${ORDER}`,
    )
    .raw()
  return () => parseRows(rows.all(root))
}

/** The headers of the children of a session, alone. */
export function bareHeaders(dataFolder: string, root: string): () => number {
  const db = connect(dataFolder)
  const rows = db
    .prepare<[string], unknown[]>(
      `SELECT ${HEADER} FROM session s WHERE s.parent_session = ? AND s.origin = 'subagent' ${ORDER}`,
    )
    .raw()
  return () => rows.all(root).length
}

/** Every event of every child, read and parsed once. */
export function bareLogs(dataFolder: string, root: string): () => number {
  const db = connect(dataFolder)
  const keys = db
    .prepare<[string], number>('SELECT key FROM session WHERE parent_session = ? ORDER BY created_at, id')
    .pluck()
  const log = db
    .prepare<[number], unknown[]>(
      'SELECT seq, time, type, data FROM event WHERE session_key = ? ORDER BY seq',
    )
    .raw()
  return () => {
    let events = 0
    for (const key of keys.all(root)) for (const row of log.all(key)) events += parsed(row[3])
    return events
  }
}

/** The last events of one log, and its checkpoint. */
export function barePage(dataFolder: string, id: string, limit: number): () => number {
  const db = connect(dataFolder)
  const page = db
    .prepare<[string, number], unknown[]>(
      `SELECT seq, time, type, data FROM event WHERE session_key = (SELECT key FROM session WHERE id = ?)
       ORDER BY seq DESC LIMIT ?`,
    )
    .raw()
  const states = db
    .prepare<[string], string>(
      'SELECT state FROM checkpoint_row WHERE session_key = (SELECT key FROM session WHERE id = ?)',
    )
    .pluck()
  return () => {
    for (const state of states.all(id)) JSON.parse(state)
    return page.all(id, limit).reduce((events, row) => events + parsed(row[3]), 0)
  }
}

function parseRows(rows: readonly (readonly unknown[])[]): number {
  const ids = new Set<unknown>()
  for (const row of rows) {
    if (!ids.has(row[0])) parsed(row[FAULTS])
    ids.add(row[0])
    parsed(row[STATE])
  }
  return ids.size
}

function parsed(text: unknown): number {
  if (typeof text === 'string') JSON.parse(text)
  return 1
}

function connect(dataFolder: string): Database.Database {
  const db = new Database(databaseFile(dataFolder), { readonly: true })
  db.pragma('cache_size = -16000')
  return db
}
