import type Database from 'better-sqlite3'
import type {
  CheckpointHead,
  CheckpointRows,
  ListedCheckpointRow,
  StoredCheckpointRow,
} from '../checkpoint-reads.ts'
import type { EncodedCheckpoint } from '../wire.ts'
import type { PastDamage } from './past-damage.ts'

const LATEST = 'trashed_at IS NULL AND end_seq > 0 ORDER BY last_time DESC'

/** The statements over stored fold shortcuts. */
export function createCheckpointTable(
  db: Database.Database,
  past: PastDamage = read => read(),
): CheckpointRows {
  const facts = db.prepare<[number], string>('SELECT facts FROM checkpoint WHERE session_key = ?').pluck()
  const rows = db
    .prepare<[number], StoredCheckpointRow>(
      'SELECT key, state_version, seq, state FROM checkpoint_row WHERE session_key = ?',
    )
    .raw()
  // A log that ends with a turn shows its end in the small index of turns: else a page of each log would be read.
  const heads = db
    .prepare<[string], CheckpointHead>(
      `SELECT s.key, s.id, c.facts, c.faults,
         CASE WHEN s.end_seq - 1 = (SELECT max(seq) FROM event
             WHERE session_key = s.key AND type IN ('turn/start', 'turn/end')) THEN s.end_seq - 1
           ELSE (SELECT min(s.end_seq - 1, max(seq)) FROM event WHERE session_key = s.key) END,
         (SELECT max(seq) FROM event WHERE session_key = s.key AND type = 'subagent/descriptor')
       FROM (SELECT DISTINCT value AS id FROM json_each(?)) wanted
       JOIN session s ON s.id = wanted.id AND s.trashed_at IS NULL
       JOIN checkpoint c ON c.session_key = s.key`,
    )
    .raw()
  const listed = db
    .prepare<[string, string], ListedCheckpointRow>(
      `SELECT r.session_key, r.key, r.state_version, r.seq, r.state
       FROM json_each(?) wanted JOIN checkpoint_row r
         ON r.session_key = wanted.value AND +r.key IN (SELECT value FROM json_each(?))`,
    )
    .raw()
  const asking = db
    .prepare<[], string>(
      `SELECT id FROM session s WHERE trashed_at IS NULL AND key IN (
         SELECT session_key FROM checkpoint_row WHERE key = 'approvals' AND state <> '[]'
         UNION
         SELECT asked.session_key FROM event asked
           LEFT JOIN checkpoint_row r ON r.session_key = asked.session_key AND r.key = 'approvals'
           WHERE asked.type = 'approval/asked' AND asked.seq > coalesce(r.seq, -1)
       ) ORDER BY created_at, id`,
    )
    .pluck()
  const latest = db.prepare<[], string>(`SELECT id FROM session WHERE ${LATEST}`).pluck()
  const behind = db
    .prepare<[], string>(
      `SELECT id FROM session s LEFT JOIN checkpoint_row r ON r.session_key = s.key AND r.key = 'outcome'
       WHERE coalesce(r.seq, -1) < s.end_seq - 1 AND ${LATEST}`,
    )
    .pluck()
  const foldedBy = db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'units'`).pluck()
  const setFoldedBy = db.prepare<[string]>(`INSERT OR REPLACE INTO meta (key, value) VALUES ('units', ?)`)
  const dropRows = db.prepare<[number]>('DELETE FROM checkpoint_row WHERE session_key = ?')
  const dropHead = db.prepare<[number]>('DELETE FROM checkpoint WHERE session_key = ?')
  const keyOf = db.prepare<[string], number>('SELECT key FROM session WHERE id = ?').pluck()
  const put = db.prepare<[number, string, string]>(
    'INSERT INTO checkpoint (session_key, facts, faults) VALUES (?, ?, ?)',
  )
  const putRow = db.prepare<[number, string, number, number, string]>(
    'INSERT INTO checkpoint_row (session_key, key, state_version, seq, state) VALUES (?, ?, ?, ?, ?)',
  )

  /** A checkpoint that cannot be read is as good as absent; those of others are there. */
  function oneByOne<K, R>(keys: readonly K[], read: (some: readonly K[]) => R[]): R[] {
    return past(
      () => read(keys),
      () => keys.flatMap(key => past<R[]>(() => read([key]), none)),
    )
  }

  function drop(key: number): void {
    dropRows.run(key)
    dropHead.run(key)
  }

  /** All sessions in one transaction. */
  const writeAll = db.transaction((checkpoints: readonly EncodedCheckpoint[]): void => {
    for (const { sessionId, facts: lifecycle, faults, rows: encoded } of checkpoints) {
      const key = keyOf.get(sessionId)
      if (key === undefined) continue
      drop(key)
      put.run(key, lifecycle, JSON.stringify(faults))
      for (const row of encoded) putRow.run(key, ...row)
    }
  })

  return {
    heads: ids => oneByOne(ids, some => heads.all(JSON.stringify(some))),
    listed: (keys, names) => oneByOne(keys, some => listed.all(JSON.stringify(some), JSON.stringify(names))),
    facts: key => past(() => facts.get(key), nothing),
    rows: key => past<StoredCheckpointRow[]>(() => rows.all(key), none),
    askingIds: () => past<string[]>(() => asking.all(), none),
    latest: () => latest.all(),
    behind: () => past<string[]>(() => behind.all(), none),
    foldedBy: () => foldedBy.get(),
    setFoldedBy: fingerprint => {
      setFoldedBy.run(fingerprint)
    },
    drop,
    write: checkpoints => writeAll.immediate(checkpoints),
  }
}

function nothing(): undefined {
  return undefined
}

function none(): never[] {
  return []
}
