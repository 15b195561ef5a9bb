import type Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { AppendResult } from '../persistence.ts'
import { type Answer, answer, type EncodedBatch, type EncodedDraft, type EncodedEvents } from '../wire.ts'
import type { LogTable } from './log-table.ts'
import type { Outputs } from './outputs.ts'
import type { PastDamage } from './past-damage.ts'

/** The writes of live sessions. Each is one durable transaction. */
export function createLogWrites(
  db: Database.Database,
  table: LogTable,
  outputs: Pick<Outputs, 'inherit'>,
  past: PastDamage = read => read(),
) {
  const keyAndEnd = db
    .prepare<[string], [key: number, endSeq: number]>('SELECT key, end_seq FROM session WHERE id = ?')
    .raw()
  const newSession = db.prepare(
    `INSERT INTO session (id, version, created_at, cwd, parent_session, seed_length, origin, delegation_depth, preset, end_seq)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
  )
  const putDraft = db.prepare<[number, string]>(
    'INSERT OR REPLACE INTO draft (session_key, data) VALUES (?, ?)',
  )
  const dropDraft = db.prepare<[number]>('DELETE FROM draft WHERE session_key = ?')

  /** A trashed session still takes events: what its agent did is not lost when it comes back. */
  function appendOne({ sessionId, events }: EncodedBatch): AppendResult {
    const found = keyAndEnd.get(sessionId)
    if (found === undefined) return 'missing'
    const [key, endSeq] = found
    if (endSeq !== events.firstSeq || table.rowsEnd(key) > endSeq) return 'conflict'
    if (events.texts.length > 0) table.insert(key, events)
    return 'written'
  }

  const createAll = db.transaction((header: SessionHeader, events: EncodedEvents): void => {
    const { id, version, createdAt, cwd, parentSession, seedLength, origin, delegationDepth, preset } = header
    if (keyAndEnd.get(id) !== undefined) {
      throw new WorkbenchError('SESSION_EXISTS', `There is a session ${id} already.`)
    }
    const facts = [cwd, parentSession, seedLength, origin, delegationDepth, preset].map(fact => fact ?? null)
    const key = Number(newSession.run(id, version, createdAt, ...facts).lastInsertRowid)
    if (events.texts.length > 0) table.insert(key, events)
    if (parentSession !== undefined && seedLength) outputs.inherit(key, parentSession, seedLength)
  })
  const appendAll = db.transaction((batches: readonly EncodedBatch[]) => batches.map(appendOne))
  const saveAll = db.transaction((drafts: readonly EncodedDraft[]): void => {
    for (const { sessionId, text } of drafts) {
      const found = keyAndEnd.get(sessionId)
      if (found === undefined) continue
      if (text === null) dropDraft.run(found[0])
      else putDraft.run(found[0], text)
    }
  })

  return {
    create(header: SessionHeader, events: EncodedEvents): Answer<null> {
      createAll.immediate(header, events)
      return answer(null)
    },
    append(batches: readonly EncodedBatch[]): Answer<readonly AppendResult[]> {
      // A log whose last page cannot be read takes nothing more, and keeps no other from being saved.
      const alone = (batch: EncodedBatch) =>
        past<readonly AppendResult[]>(
          () => appendAll.immediate([batch]),
          () => ['conflict'],
        )
      const together = () => appendAll.immediate(batches)
      if (db.inTransaction) return answer(together())
      return answer(past<readonly AppendResult[]>(together, () => batches.flatMap(alone)))
    },
    saveDrafts(drafts: readonly EncodedDraft[]): Answer<null> {
      saveAll.immediate(drafts)
      return answer(null)
    },
  }
}
