import type Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import { hasOpenTurn, isWaitingForApproval } from '#shared/session/closers.ts'
import { isKnownType, readEvent, type StoredEvent } from '#shared/session/events.ts'
import { rowJson } from '../event-rows.ts'
import { inspectLog } from '../inspect.ts'
import type { LoadedSession } from '../persistence.ts'
import { type Answer, answerInPieces } from '../wire.ts'
import type { CheckpointReads } from './checkpoint-reads.ts'
import type { LogTable } from './log-table.ts'
import { headerOf } from './session-rows.ts'

/** What the model is told next rests on these: one that cannot be understood must not be resumed over. */
const MESSAGES: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result'])

/** The one read that writes: it makes a log fit to be continued, or refuses. One transaction. */
export function createStrictLoad(db: Database.Database, table: LogTable, checkpoints: CheckpointReads) {
  const keepLost = db.prepare<[number, number, number]>(
    `INSERT INTO lost_event (session_key, seq, time, type, data, ignorable, lost_at)
     SELECT session_key, seq, time, type, data, ignorable, ? FROM event WHERE session_key = ? AND seq >= ?`,
  )
  const dropLost = db.prepare<[number, number]>('DELETE FROM event WHERE session_key = ? AND seq >= ?')
  const cutEnd = db.prepare<[number, number]>('UPDATE session SET end_seq = ?, cuts = cuts + 1 WHERE key = ?')
  const dropDraft = db.prepare<[number]>('DELETE FROM draft WHERE session_key = ?')

  /** A checkpoint made past the cut would fit again as soon as the log grows that far: it goes with the tail. */
  function cutTail(key: number, fromSeq: number): void {
    keepLost.run(Date.now(), key, fromSeq)
    dropLost.run(key, fromSeq)
    cutEnd.run(fromSeq, key)
    checkpoints.drop(key)
  }

  const loadOne = db.transaction((id: string): Answer<LoadedSession> => {
    const row = table.session(id)
    const header = headerOf(row)
    const texts: string[] = []
    const range = { from: 0, end: row.end_seq }
    const log = inspectLog(table.events(row.key, 0), range, table.draft(row.key), read => {
      refuseUnknown(id, read.event)
      texts.push(rowJson(read))
    })
    for (const { kind } of log.damage) {
      if (kind !== 'damaged-tail') throw damaged(id, 'Part of its record is missing or unreadable.')
    }
    if (log.end > log.intactEnd) cutTail(row.key, log.intactEnd)
    if (log.closers.length > 0 || log.intactEnd !== row.end_seq) {
      table.append(row.key, log.intactEnd, log.closers)
    }
    dropDraft.run(row.key)
    for (const closer of log.closers) texts.push(JSON.stringify(closer))
    const checkpoint = checkpoints.rowsOf(row.key, header, log.intactEnd)
    const waitingForApproval = hasOpenTurn(log.lastTurn) && isWaitingForApproval(log.lastTurn)
    return answerInPieces<LoadedSession, 'events'>(
      { header, checkpoint, waitingForApproval },
      'events',
      texts,
    )
  })

  return { load: (id: string): Answer<LoadedSession> => loadOne.immediate(id) }
}

function refuseUnknown(id: string, event: StoredEvent): void {
  if (!isKnownType(event.type)) {
    if (event.ignorable === true) return
    throw damaged(id, `It holds an event of a kind that this version does not know (${event.type}).`)
  }
  if (MESSAGES.has(event.type) && readEvent(event) === null) {
    throw damaged(id, `A message in it cannot be understood (event ${event.seq}).`)
  }
}

function damaged(id: string, problem: string): WorkbenchError {
  return new WorkbenchError('SESSION_DAMAGED', `Session ${id} can be read but not resumed. ${problem}`)
}
