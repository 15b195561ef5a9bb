import { WorkbenchError } from '#shared/errors.ts'
import { Fold } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { hasOpenTurn, isWaitingForApproval } from '#shared/session/closers.ts'
import { isKnownType, readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { CheckpointReads } from './checkpoint-reads.ts'
import { readRow, rowJson } from './event-rows.ts'
import { inspectLog } from './inspect.ts'
import { headerOf, type LogRepair, type LogRow, type Logs } from './logs.ts'
import { LOADED_TAIL, type LoadedSession } from './persistence.ts'
import { type Answer, answer, answerInPieces } from './wire.ts'

/** What the model is told next rests on these: one that cannot be understood must not be resumed over. */
const MESSAGES: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result'])

/** What a log needs to be fit to be continued, and the record that this was read from. */
export interface LoadPlan {
  readonly endSeq: number
  readonly cuts: number
  readonly intactEnd: number
  /** Rows behind `intactEnd` are there, or stated. */
  readonly isTorn: boolean
  readonly closers: readonly StoredEvent[]
  readonly waitingForApproval: boolean
}

/**
 * The strict read before a resume, in two: the whole log is read while others write, and what it lacks is written
 * at one stroke, unless the record has changed meanwhile.
 */
export function createStrictLoad<Row extends LogRow>(
  readLogs: Logs<Row>,
  repair: LogRepair,
  checkpoints: CheckpointReads,
  units: readonly Unit[],
) {
  function commit(id: string, plan: LoadPlan): Answer<LoadedSession | null> {
    const row = readLogs.session(id)
    if (row.end_seq !== plan.endSeq || row.cuts !== plan.cuts) return answer<LoadedSession | null>(null)
    const { intactEnd, isTorn, closers, waitingForApproval } = plan
    if (isTorn) {
      repair.cutTail(row.key, intactEnd)
      // One made past the cut would fit again as soon as the log grows that far: it goes with the tail.
      checkpoints.drop(row.key)
    }
    if (closers.length > 0 || intactEnd !== row.end_seq) repair.append(row.key, intactEnd, closers)
    repair.dropDraft(row.key)
    const header = headerOf(readLogs, row)
    const checkpoint = checkpoints.rowsOf(row.key, header, intactEnd)
    const { floor } = Fold.restore(units, header, checkpoint, intactEnd - 1)
    const from = Math.max(0, Math.min(floor, intactEnd + closers.length - LOADED_TAIL))
    const texts: string[] = []
    for (const stored of readLogs.events(row.key, from)) {
      const read = readRow(stored)
      if (read !== null) texts.push(rowJson(read))
    }
    const facts = { header, checkpoint, waitingForApproval }
    return answerInPieces<LoadedSession, 'events'>(facts, 'events', texts)
  }

  return {
    reads: {
      planLoad(id: string): Answer<LoadPlan> {
        const row = readLogs.session(id)
        headerOf(readLogs, row) // refuses one that cannot be read
        const range = { from: 0, end: row.end_seq }
        const log = inspectLog(
          readLogs.events(row.key, 0),
          range,
          () => readLogs.draft(row.key),
          ({ event }) => refuseUnknown(id, event),
        )
        for (const { kind } of log.damage) {
          if (kind !== 'damaged-tail') throw damaged(id, 'Part of its record is missing or unreadable.')
        }
        return answer({
          endSeq: row.end_seq,
          cuts: row.cuts,
          intactEnd: log.intactEnd,
          isTorn: log.end > log.intactEnd,
          closers: log.closers,
          waitingForApproval: hasOpenTurn(log.openTurn) && isWaitingForApproval(log.openTurn),
        })
      },
    },
    writes: {
      /** `null`: the record is not any more as it was planned for. */
      commitLoad: (id: string, plan: LoadPlan): Answer<LoadedSession | null> =>
        repair.together(() => commit(id, plan)),
    },
  }
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
