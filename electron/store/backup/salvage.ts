import type Database from 'better-sqlite3'
import { isSeq } from '../event-rows.ts'
import { nameInLog } from '../sqlite/log-name.ts'
import type { SalvagedSession } from './rescue-report.ts'
import { fillFromPages } from './salvage-pages.ts'
import { type FoundSession, findSessions } from './salvage-sessions.ts'
import { DAMAGE, upToDamage, walkRows } from './walk-rows.ts'

type Saved = Omit<SalvagedSession, 'title'> & { readonly key: number }

/** Copied by their own rules, or derived from the logs: a fresh database does without. */
const HANDLED: ReadonlySet<string> = new Set(['session', 'event', 'checkpoint', 'checkpoint_row', 'meta'])

/**
 * Copies everything that can be read from `bad` into `db`, which is new and empty: each session and each event under its
 * own try. What cannot be read is left out; an event's place stays empty, so that what is missing is seen. Rows are
 * taken as they are: nothing is judged here. One transaction.
 */
export function salvage(bad: Database.Database, db: Database.Database): SalvagedSession[] {
  const run = db.transaction((): SalvagedSession[] => {
    const sessions = findSessions(bad)
    const saved = fillGaps(
      db,
      bad.name,
      sessions.map(found => saveSession(bad, db, found)),
    )
    const others = sharedTables(bad, db).filter(table => !HANDLED.has(table))
    for (const table of others) saveTable(bad, db, table)
    for (const table of others) dropStrays(db, table)
    return saved
  })
  db.pragma('foreign_keys = OFF')
  return run()
}

function saveSession(
  bad: Database.Database,
  db: Database.Database,
  { key, row, whole }: FoundSession,
): Saved {
  const stated = isSeq(row['end_seq']) ? row['end_seq'] : 0
  const { kept, end } = saveEvents(bad, db, key, stated)
  const last = Math.max(stated, end)
  const id = putSession(db, key, { ...row, end_seq: last })
  return { key, id, kept, lost: last - kept, rebuilt: !whole }
}

/** What the rows themselves did not give is looked for on every page of the file, if anything is missing at all. */
function fillGaps(db: Database.Database, file: string, saved: readonly Saved[]): SalvagedSession[] {
  const ends = new Map(saved.filter(({ lost }) => lost > 0).map(({ key, kept, lost }) => [key, kept + lost]))
  const found = ends.size === 0 ? new Map<number, number>() : fillFromPages(db, file, ends)
  return saved.map(({ key, id, kept, lost, rebuilt }) => {
    const more = found.get(key) ?? 0
    return { id, title: nameInLog(db, key), kept: kept + more, lost: lost - more, rebuilt }
  })
}

/** A second record with one id keeps its log under another. */
function putSession(db: Database.Database, key: number, row: Readonly<Record<string, unknown>>): string {
  const columns = columnsOf(db, 'session').map(({ name }) => name)
  const named = columns.filter(name => row[name] !== undefined)
  const put = db.prepare(
    `INSERT OR IGNORE INTO session (${named.join(', ')}) VALUES (${named.map(() => '?').join(', ')})`,
  )
  if (put.run(named.map(name => row[name])).changes > 0) return String(row['id'])
  const id = `recovered-${key}`
  db.prepare(
    'INSERT OR IGNORE INTO session (key, id, version, created_at, end_seq) VALUES (?, ?, 1, ?, ?)',
  ).run(key, id, isSeq(row['created_at']) ? row['created_at'] : 0, row['end_seq'])
  return id
}

const EVENT_COLUMNS = 'session_key, seq, time, type, data, ignorable'

function saveEvents(bad: Database.Database, db: Database.Database, key: number, stated: number) {
  const put = db.prepare<unknown[]>(
    `INSERT OR IGNORE INTO event (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const next = bad
    .prepare<[number, number, number], unknown[]>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE session_key = ? AND seq >= ? ORDER BY seq LIMIT ?`,
    )
    .raw()
  let kept = 0
  let end = 0
  for (const row of walkRows(
    (from, limit) => next.all(key, from, limit),
    row => row[1],
    stated,
  )) {
    kept += put.run(...row).changes
    end = Number(row[1]) + 1
  }
  return { kept, end }
}

/** From both ends: what lies between two damaged places is lost, in tables that hold no logs. */
function saveTable(bad: Database.Database, db: Database.Database, table: string): void {
  if (!copyRows(bad, db, table, 'ASC')) copyRows(bad, db, table, 'DESC')
}

/** @returns whether the end was reached. */
function copyRows(
  bad: Database.Database,
  db: Database.Database,
  table: string,
  direction: 'ASC' | 'DESC',
): boolean {
  const columns = columnsOf(db, table)
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
  const names = [...(keys.length === 0 ? ['rowid'] : []), ...columns.map(({ name }) => name)]
  const fits = columns.flatMap(({ name, type, notnull }) =>
    notnull === 1 && type !== '' ? [`typeof(${name}) = '${type.toLowerCase()}'`] : [],
  )
  const order = (keys.length === 0 ? ['rowid'] : keys).map(name => `${name} ${direction}`)
  const where = fits.length === 0 ? '' : `WHERE ${fits.join(' AND ')}`
  const rows = bad.prepare<[], unknown[]>(
    `SELECT ${names.join(', ')} FROM ${table} ${where} ORDER BY ${order.join(', ')}`,
  )
  const put = db.prepare<unknown[]>(
    `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  for (const row of upToDamage(() => rows.raw().iterate())) {
    if (row === DAMAGE) return false
    put.run(...row)
  }
  return true
}

/** Rows that belong to something that could not be saved. */
function dropStrays(db: Database.Database, table: string): void {
  const links = db.prepare<[], { from: string; to: string; table: string }>(
    `SELECT "from", "to", "table" FROM pragma_foreign_key_list('${table}')`,
  )
  for (const { from, to, table: parent } of links.all()) {
    db.exec(`DELETE FROM ${table} WHERE ${from} NOT IN (SELECT ${to} FROM ${parent})`)
  }
}

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

function columnsOf(db: Database.Database, table: string): Column[] {
  return db.prepare<[], Column>(`SELECT name, type, "notnull", pk FROM pragma_table_info('${table}')`).all()
}

/** Of both: a damaged database may be of an earlier version. */
function sharedTables(bad: Database.Database, db: Database.Database): string[] {
  const names = (from: Database.Database) =>
    from.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck()
  const there = new Set(upToDamage(() => names(bad).iterate()))
  return names(db)
    .all()
    .filter(name => there.has(name))
}
