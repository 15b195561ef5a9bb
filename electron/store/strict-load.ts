import { WorkbenchError } from '#shared/errors.ts'
import { hasOpenTurn, isWaitingForApproval } from '#shared/session/closers.ts'
import { isKnownType, readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { CheckpointReads } from './checkpoint-reads.ts'
import { rowJson } from './event-rows.ts'
import { inspectLog } from './inspect.ts'
import { headerOf, type LogRepair, type LogRow, type Logs } from './logs.ts'
import type { LoadedSession } from './persistence.ts'
import { type Answer, answerInPieces } from './wire.ts'

/** What the model is told next rests on these: one that cannot be understood must not be resumed over. */
const MESSAGES: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result'])

/** The one read that writes: it makes a log fit to be continued, or refuses. */
export function createStrictLoad<Row extends LogRow>(
  logs: Logs<Row>,
  repair: LogRepair,
  checkpoints: CheckpointReads,
) {
  function loadOne(id: string): Answer<LoadedSession> {
    const row = logs.session(id)
    const header = headerOf(logs, row)
    const texts: string[] = []
    const range = { from: 0, end: row.end_seq }
    const log = inspectLog(logs.events(row.key, 0), range, logs.draft(row.key), read => {
      refuseUnknown(id, read.event)
      texts.push(rowJson(read))
    })
    for (const { kind } of log.damage) {
      if (kind !== 'damaged-tail') throw damaged(id, 'Part of its record is missing or unreadable.')
    }
    if (log.end > log.intactEnd) {
      repair.cutTail(row.key, log.intactEnd)
      // One made past the cut would fit again as soon as the log grows that far: it goes with the tail.
      checkpoints.drop(row.key)
    }
    if (log.closers.length > 0 || log.intactEnd !== row.end_seq) {
      repair.append(row.key, log.intactEnd, log.closers)
    }
    repair.dropDraft(row.key)
    for (const closer of log.closers) texts.push(JSON.stringify(closer))
    const checkpoint = checkpoints.rowsOf(row.key, header, log.intactEnd)
    const waitingForApproval = hasOpenTurn(log.lastTurn) && isWaitingForApproval(log.lastTurn)
    return answerInPieces<LoadedSession, 'events'>(
      { header, checkpoint, waitingForApproval },
      'events',
      texts,
    )
  }

  return { load: (id: string): Answer<LoadedSession> => repair.together(() => loadOne(id)) }
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
