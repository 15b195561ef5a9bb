import type Database from 'better-sqlite3'

/**
 * A header that `sessionHeaderSchema` would refuse, in SQL. The partial index over it makes the few unreadable
 * records findable without a scan. Released text: a migration repeats it, so it never changes here alone.
 */
export const ODD_HEADER = `(
  version IS NOT 1 OR typeof(created_at) <> 'integer' OR created_at < 0
  OR typeof(id) <> 'text' OR length(id) > 128 OR id NOT GLOB '[A-Za-z0-9]*' OR id GLOB '*[^A-Za-z0-9._-]*'
  OR (origin IS NOT NULL AND origin IS NOT 'subagent')
  OR (cwd IS NOT NULL AND typeof(cwd) <> 'text')
  OR (preset IS NOT NULL AND (typeof(preset) <> 'text' OR preset = ''))
  OR (seed_length IS NOT NULL AND (typeof(seed_length) <> 'integer' OR seed_length < 0))
  OR (delegation_depth IS NOT NULL AND (typeof(delegation_depth) <> 'integer' OR delegation_depth < 0))
  OR (parent_session IS NOT NULL AND (typeof(parent_session) <> 'text' OR length(parent_session) > 128
    OR parent_session NOT GLOB '[A-Za-z0-9]*' OR parent_session GLOB '*[^A-Za-z0-9._-]*'))
)`

/** Step n takes a database of version n to n + 1. A released step is never edited. */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    cwd TEXT,
    parent_session TEXT,
    seed_length INTEGER,
    origin TEXT,
    delegation_depth INTEGER,
    preset TEXT,
    end_seq INTEGER NOT NULL,
    last_time INTEGER,
    cuts INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    trashed_at INTEGER,
    trashed_with TEXT
  );
  CREATE INDEX session_created ON session (created_at, id);
  CREATE INDEX session_root ON session (created_at, id) WHERE origin IS NULL AND trashed_at IS NULL;
  CREATE INDEX session_child ON session (parent_session, origin, created_at, id) WHERE parent_session IS NOT NULL;
  CREATE INDEX session_trash ON session (trashed_with) WHERE trashed_with IS NOT NULL;
  CREATE INDEX session_odd ON session (key) WHERE ${ODD_HEADER};

  CREATE TABLE event (
    session_key INTEGER NOT NULL REFERENCES session (key),
    seq INTEGER NOT NULL,
    time INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    ignorable INTEGER,
    PRIMARY KEY (session_key, seq)
  ) WITHOUT ROWID;
  CREATE INDEX event_descriptor ON event (session_key, seq) WHERE type = 'subagent/descriptor';
  CREATE INDEX event_asked ON event (session_key, seq) WHERE type = 'approval/asked';
  CREATE INDEX event_turn ON event (session_key, seq, type) WHERE type IN ('turn/start', 'turn/end');

  CREATE TABLE lost_event (
    session_key INTEGER NOT NULL REFERENCES session (key),
    seq, time, type, data, ignorable,
    lost_at INTEGER NOT NULL
  );
  CREATE INDEX lost_event_session ON lost_event (session_key);

  CREATE TABLE draft (
    session_key INTEGER PRIMARY KEY REFERENCES session (key),
    data TEXT NOT NULL
  );

  CREATE TABLE checkpoint (
    session_key INTEGER PRIMARY KEY REFERENCES session (key),
    facts TEXT NOT NULL,
    faults TEXT NOT NULL
  );
  CREATE TABLE checkpoint_row (
    session_key INTEGER NOT NULL REFERENCES session (key),
    key TEXT NOT NULL,
    state_version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (session_key, key)
  ) WITHOUT ROWID;
  CREATE INDEX checkpoint_waiting ON checkpoint_row (session_key) WHERE key = 'approvals' AND state <> '[]';
  `,
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  CREATE TABLE output (
    key INTEGER PRIMARY KEY,
    size INTEGER NOT NULL
  );
  CREATE TABLE output_part (
    output_key INTEGER NOT NULL REFERENCES output (key),
    start INTEGER NOT NULL,
    bytes BLOB NOT NULL
  );
  CREATE UNIQUE INDEX output_part_start ON output_part (output_key, start);
  CREATE TABLE output_ref (
    session_key INTEGER NOT NULL REFERENCES session (key),
    id TEXT NOT NULL,
    output_key INTEGER NOT NULL REFERENCES output (key),
    PRIMARY KEY (session_key, id)
  ) WITHOUT ROWID;
  CREATE INDEX output_ref_output ON output_ref (output_key);
  `,
]

export const SCHEMA_VERSION = STEPS.length

export function schemaVersion(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

/** Brings an older database up to this version, each step in a transaction of its own. */
export function migrate(db: Database.Database, steps: readonly string[] = STEPS): void {
  for (let version = schemaVersion(db); version < steps.length; version = schemaVersion(db)) {
    const step = steps[version] ?? ''
    db.transaction(() => {
      if (schemaVersion(db) !== version) return // another process took this step while we waited
      db.exec(step)
      db.pragma(`user_version = ${version + 1}`)
    }).immediate()
  }
}
