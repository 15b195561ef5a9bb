import { Fold, type FoldSnapshot } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { isSessionId, type SessionId } from '#shared/session/ids.ts'
import type { CheckpointReads } from './checkpoint-reads.ts'
import { snapshotReadCold } from './cold-values.ts'
import { type InspectedLog, inspectLog, noDraft, stampedClosers } from './inspect.ts'
import { headerOf, type LogRow, type Logs } from './logs.ts'
import type { FoldedInspection } from './persistence.ts'
import { type Answer, answer } from './wire.ts'

/** Folds of sessions that nobody hosts, over the stored events and the closers. They write nothing. */
export function createColdFolds<Row extends LogRow>(
  logs: Logs<Row>,
  checkpoints: CheckpointReads,
  units: readonly Unit[],
) {
  /** The open turn whole, even where a checkpoint was taken in the middle of it. */
  function wholeTurn(
    key: number,
    from: number,
    { intactEnd, openTurn }: InspectedLog,
  ): readonly StoredEvent[] {
    const start = logs.openTurnStart(key, intactEnd)
    if (start === null) return []
    if (start >= from) return openTurn
    return inspectLog(logs.events(key, start), { from: start, end: intactEnd }, noDraft, () => {}).openTurn
  }

  return {
    inspectFolded(id: string): Answer<FoldedInspection> {
      const row = logs.session(id)
      const header = headerOf(logs, row)
      const fold = new Fold(units, header)
      const range = { from: 0, end: row.end_seq }
      const draftOf = () => logs.draft(row.key)
      const { closers, damage } = inspectLog(logs.events(row.key, 0), range, draftOf, ({ event }) =>
        fold.apply(event),
      )
      for (const closer of closers) fold.apply(closer)
      const subagentState = fold.stateOf('subagent') ?? null
      return answer({ header, damage, snapshot: snapshotReadCold(fold.snapshot()), subagentState })
    },

    snapshot(id: string): Answer<FoldSnapshot> {
      return answer(snapshotOf(id))
    },

    recentSnapshot(id: string, maxTail: number): Answer<FoldSnapshot | null> {
      const begun = begin(id)
      return answer(begun.end - begun.fold.floor > maxTail ? null : finish(begun))
    },

    waiting(): Answer<readonly SessionId[]> {
      return answer(checkpoints.askingIds().filter(isSessionId).filter(isWaiting))
    },
  }

  /** A record whose header cannot be read asks nothing. */
  function isWaiting(id: SessionId): boolean {
    if (logs.readHeader(logs.session(id)).kind !== 'header') return false
    const { approvals } = snapshotOf(id).values
    return Array.isArray(approvals) && approvals.length > 0
  }

  function snapshotOf(id: string): FoldSnapshot {
    return finish(begin(id))
  }

  /** What the checkpoint gives, as far as it fits this log. */
  function begin(id: string) {
    const row = logs.session(id)
    const header = headerOf(logs, row)
    const rowsEnd = logs.rowsEnd(row.key)
    const end = Math.max(row.end_seq, rowsEnd)
    const rows = checkpoints.rowsOf(row.key, header, Math.min(row.end_seq, rowsEnd))
    return { row, end, fold: Fold.restore(units, header, rows, end - 1) }
  }

  function finish({ row, end, fold }: ReturnType<typeof begin>): FoldSnapshot {
    const from = fold.floor
    const log = inspectLog(logs.events(row.key, from), { from, end }, noDraft, ({ event }) =>
      fold.apply(event),
    )
    const turn = wholeTurn(row.key, from, log)
    for (const closer of stampedClosers(turn, () => logs.draft(row.key), log.intactEnd)) fold.apply(closer)
    return snapshotReadCold(fold.snapshot())
  }
}
