import { chmodSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/*
 * `search.db`: derived from the logs, so it may be thrown away at any time. Its rows say where a text stands, never
 * what it is: `hits` has no content, and texts are read from the logs. Row numbers grow with the hour of an event, so
 * that the newest hits of any word are the first ones that FTS5 hands out backwards.
 */

/** Another version's file is thrown away: also raised when words or readable texts become others. */
const SEARCH_VERSION = 1
/** Nobody else has it open, and whoever asks the thread for something else waits meanwhile. */
const BUSY_TIMEOUT_MS = 20

const SCHEMA = `
  CREATE TABLE session (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    cuts INTEGER NOT NULL,
    start INTEGER NOT NULL,
    next INTEGER NOT NULL,
    end_seq INTEGER NOT NULL,
    last_time INTEGER NOT NULL,
    mark TEXT,
    failed INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX session_behind ON session (last_time) WHERE next < end_seq AND failed = 0;
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE VIRTUAL TABLE hits USING fts5(
    text, session UNINDEXED, seq UNINDEXED, time UNINDEXED,
    content = '', contentless_delete = 1, contentless_unindexed = 1, tokenize = 'ascii'
  );
  INSERT INTO hits (hits, rank) VALUES ('pgsz', 8000);
  INSERT INTO hits (hits, rank) VALUES ('automerge', 0);
  INSERT INTO hits (hits, rank) VALUES ('usermerge', 16);
  INSERT INTO hits (hits, rank) VALUES ('crisismerge', 1000);
`

export interface SearchFile {
  readonly db: Database.Database
  /** Why an earlier file was thrown away; `null` when none was. */
  readonly replaced: string | null
}

export function searchFile(dataFolder: string): string {
  return join(dataFolder, 'search.db')
}

/**
 * Opens the index to write, makes it anew where it is missing, damaged or of another version.
 * @throws SqliteError when the medium refuses.
 */
export function openSearchFile(file: string): SearchFile {
  let replaced: string | null = null
  try {
    const db = openCurrent(file)
    if (db !== null) return { db, replaced }
    replaced = 'it was made by another version'
  } catch (error) {
    if (!isDamage(error)) throw error
    replaced = 'it was damaged'
  }
  removeSearchFile(file)
  const db = openCurrent(file)
  if (db === null) throw new Error('a new index is of another version')
  return { db, replaced }
}

/** `null` when there is none of this version. @throws SqliteError when it cannot be read. */
export function openSearchFileToRead(file: string): Database.Database | null {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS, readonly: true, fileMustExist: true })
  try {
    if (versionOf(db) === SEARCH_VERSION) return db
    db.close()
    return null
  } catch (error) {
    db.close()
    throw error
  }
}

export function removeSearchFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

/** Afterwards one file is all there is, which can be read where nothing can be written. */
export function closeSearchFile(db: Database.Database): void {
  try {
    if (db.inTransaction) db.exec('ROLLBACK')
    if (!db.readonly) db.pragma('journal_mode = DELETE')
  } catch {
    // What is not finished now is found and finished at the next opening.
  } finally {
    db.close()
  }
}

/** Tells a file from one that took its name: changes when it was deleted or replaced, `null` when it is gone. */
export function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? null : `${found.dev}.${found.ino}`
}

/** Of the file itself: nothing but another one helps. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false
  return /^SQLITE_(CORRUPT|NOTADB)/.test(error.code) || /no such (table|column)/.test(error.message)
}

function openCurrent(file: string): Database.Database | null {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Only before the first page is written can the size of pages be chosen.
    db.pragma('page_size = 8192')
    const version = versionOf(db)
    const isNew = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
    if (!isNew && version !== SEARCH_VERSION) {
      db.close()
      return null
    }
    chmodSync(file, 0o600)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    db.pragma('cache_size = -8000')
    db.pragma('wal_autocheckpoint = 500')
    db.pragma('journal_size_limit = 8388608')
    if (isNew) makeSchema(db)
    else db.exec('UPDATE session SET failed = 0 WHERE failed = 1')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function makeSchema(db: Database.Database): void {
  db.transaction(() => {
    db.exec(SCHEMA)
    db.pragma(`user_version = ${SEARCH_VERSION}`)
  }).immediate()
}

function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}
