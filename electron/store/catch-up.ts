import { Fold } from '#shared/projection/fold.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { isSessionId, type SessionId } from '#shared/session/ids.ts'
import type { CheckpointReads, CheckpointRows } from './checkpoint-reads.ts'
import { checkpointText } from './encode.ts'
import { inspectLog, noDraft } from './inspect.ts'
import type { LogRow, Logs } from './logs.ts'
import { type Answer, answer, type EncodedCheckpoint } from './wire.ts'

/**
 * Brings checkpoints up to the end of their logs: what a process that was killed had no time for. The log itself is
 * not touched, closers are no part of it, and a damaged log gets no checkpoint that would hide its damage.
 */
export function createCatchUp<Row extends LogRow>(
  logs: Logs<Row>,
  rows: CheckpointRows,
  reads: CheckpointReads,
  units: readonly Unit[],
) {
  /** Checkpoints that other units or other versions of them made are behind as well, each of them. */
  const fingerprint = units.map(({ key, stateVersion }) => `${key} ${stateVersion}`).join('\n')

  function caughtUp(row: Row): EncodedCheckpoint | null {
    const read = logs.readHeader(row)
    if (read.kind !== 'header') return null
    const { header } = read
    const fold = Fold.restore(units, header, reads.rowsOf(row.key, header, row.end_seq), row.end_seq - 1)
    const range = { from: fold.floor, end: row.end_seq }
    const { damage } = inspectLog(logs.events(row.key, range.from), range, noDraft, ({ event }) =>
      fold.apply(event),
    )
    if (damage.length > 0) return null
    const faults = fold.snapshot().faults.map(({ key }) => key)
    return checkpointText({
      sessionId: header.id,
      facts: lifecycleFacts(header),
      rows: fold.checkpoint(),
      faults,
    })
  }

  return {
    reads: {
      behindCheckpoints(): Answer<readonly SessionId[]> {
        const ids = rows.foldedBy() === fingerprint ? rows.behind() : rows.latest()
        return answer(ids.filter(isSessionId))
      },
    },
    writes: {
      catchUpCheckpoints(ids: readonly SessionId[]): Answer<null> {
        // In the order in which they are kept, since their rows then share pages. One that is gone is passed over.
        const found = ids.flatMap(id => logs.find(id) ?? []).sort((a, b) => a.key - b.key)
        rows.write(found.flatMap(row => caughtUp(row) ?? []))
        return answer(null)
      },
      noteCaughtUp(): Answer<null> {
        rows.setFoldedBy(fingerprint)
        return answer(null)
      },
    },
  }
}
