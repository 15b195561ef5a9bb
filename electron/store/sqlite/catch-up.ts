import type Database from 'better-sqlite3'
import { Fold } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { isSessionId, type SessionId } from '#shared/session/ids.ts'
import { checkpointText } from '../encode.ts'
import { inspectLog } from '../inspect.ts'
import { type Answer, answer, type EncodedCheckpoint } from '../wire.ts'
import type { CheckpointReads } from './checkpoint-reads.ts'
import type { CheckpointWrites } from './checkpoints.ts'
import type { LogTable } from './log-table.ts'
import { readHeader } from './session-rows.ts'

/**
 * Brings checkpoints up to the end of their logs: what a process that was killed had no time for. The log itself is
 * not touched, closers are no part of it, and a damaged log gets no checkpoint that would hide its damage.
 */
export function createCatchUp(
  db: Database.Database,
  table: LogTable,
  reads: CheckpointReads,
  writes: CheckpointWrites,
  units: readonly Unit[],
) {
  const LATEST = 'trashed_at IS NULL AND end_seq > 0 ORDER BY last_time DESC'
  const all = db.prepare<[], string>(`SELECT id FROM session WHERE ${LATEST}`).pluck()
  const behind = db
    .prepare<[], string>(
      `SELECT id FROM session s LEFT JOIN checkpoint_row r ON r.session_key = s.key AND r.key = 'outcome'
       WHERE coalesce(r.seq, -1) < s.end_seq - 1 AND ${LATEST}`,
    )
    .pluck()
  const foldedBy = db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'units'`).pluck()
  const setFoldedBy = db.prepare<[string]>(`INSERT OR REPLACE INTO meta (key, value) VALUES ('units', ?)`)
  /** Checkpoints that other units or other versions of them made are behind as well, each of them. */
  const fingerprint = units.map(({ key, stateVersion }) => `${key} ${stateVersion}`).join('\n')

  function caughtUp(id: SessionId): EncodedCheckpoint | null {
    const row = table.session(id)
    const read = readHeader(row)
    if (read.kind !== 'header') return null
    const { header } = read
    const fold = Fold.restore(units, header, reads.rowsOf(row.key, header, row.end_seq), row.end_seq - 1)
    const range = { from: fold.floor, end: row.end_seq }
    const { damage } = inspectLog(table.events(row.key, range.from), range, null, ({ event }) =>
      fold.apply(event),
    )
    if (damage.length > 0) return null
    const faults = fold.snapshot().faults.map(({ key }) => key)
    return checkpointText({ sessionId: id, facts: lifecycleFacts(header), rows: fold.checkpoint(), faults })
  }

  return {
    reads: {
      behindCheckpoints(): Answer<readonly SessionId[]> {
        const query = foldedBy.get() === fingerprint ? behind : all
        return answer(query.all().filter(isSessionId))
      },
    },
    writes: {
      catchUpCheckpoints(ids: readonly SessionId[]): Answer<null> {
        return writes.writeCheckpoints(ids.flatMap(id => caughtUp(id) ?? []))
      },
      noteCaughtUp(): Answer<null> {
        setFoldedBy.run(fingerprint)
        return answer(null)
      },
    },
  }
}
