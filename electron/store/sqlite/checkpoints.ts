import type Database from 'better-sqlite3'
import { type Answer, answer, type EncodedCheckpoint } from '../wire.ts'
import type { CheckpointReads } from './checkpoint-reads.ts'

/** Storing fold shortcuts: all rows of a session are replaced together, all sessions in one transaction. */
export function createCheckpointWrites(db: Database.Database, reads: CheckpointReads) {
  const keyOf = db.prepare<[string], number>('SELECT key FROM session WHERE id = ?').pluck()
  const put = db.prepare<[number, string, string]>(
    'INSERT INTO checkpoint (session_key, facts, faults) VALUES (?, ?, ?)',
  )
  const putRow = db.prepare<[number, string, number, number, string]>(
    'INSERT INTO checkpoint_row (session_key, key, state_version, seq, state) VALUES (?, ?, ?, ?, ?)',
  )
  const writeAll = db.transaction((checkpoints: readonly EncodedCheckpoint[]): void => {
    for (const { sessionId, facts, faults, rows } of checkpoints) {
      const key = keyOf.get(sessionId)
      if (key === undefined) continue
      reads.drop(key)
      put.run(key, facts, JSON.stringify(faults))
      for (const row of rows) putRow.run(key, ...row)
    }
  })

  return {
    writeCheckpoints(checkpoints: readonly EncodedCheckpoint[]): Answer<null> {
      writeAll.immediate(checkpoints)
      return answer(null)
    },
  }
}

export type CheckpointWrites = ReturnType<typeof createCheckpointWrites>
