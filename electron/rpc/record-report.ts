import type { RecordReport } from '#shared/contract/session-shapes.ts'
import { hasCode, WorkbenchError } from '#shared/errors.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import { redactText } from '#shared/redaction/redact-text.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { wireEvent } from '#shared/session/wire-events.ts'
import { typedValues } from '../projection/typed-values.ts'
import type { Store } from '../store/store-client.ts'
import { labelOf } from '../subagent/approval-desk.ts'

const RAW_ROWS = 200
/** Rows shown before the first damage. */
const RAW_LEAD = 20

/** What is wrong with one record, as of this look. Reads the whole log once and writes nothing. */
export async function recordReport(
  { persistence, checkpoints }: Store,
  id: SessionId,
  signal?: AbortSignal,
): Promise<RecordReport> {
  const stored = await persistence.get(id, signal)
  if (stored === null) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
  const inspection = await persistence.inspect(id, signal)
  const events = inspection.events.slice(0, inspection.events.length - inspection.closers)
  const faults = await faultsOf(checkpoints, id, signal)
  const [firstDamage] = inspection.damage
  const damagedAt =
    firstDamage === undefined ? 0 : 'fromSeq' in firstDamage ? firstDamage.fromSeq : firstDamage.seq
  const { parentSession } = inspection.header
  const last = events.at(-1)
  return {
    id,
    header: inspection.header,
    parentLabel: parentSession === undefined ? null : await parentLabel(checkpoints, parentSession, signal),
    readable: events.length,
    stated: stored.endSeq,
    damage: [...inspection.damage],
    // A failure may quote what it failed on. The rows are the raw record, and said to be.
    faults: faults.map(({ key, message }) => ({ key, message: redactText(message) })),
    lastReadable: last === undefined ? null : wireEvent(last),
    raw: [...(await persistence.raw(id, Math.max(0, damagedAt - RAW_LEAD), RAW_ROWS))],
  }
}

async function faultsOf(
  checkpoints: Store['checkpoints'],
  id: SessionId,
  signal?: AbortSignal,
): Promise<FoldSnapshot['faults']> {
  try {
    return (await checkpoints.snapshot(id, signal)).faults
  } catch (error) {
    // What cannot be folded at all is in `damage` already.
    if (hasCode(error, 'SESSION_DAMAGED')) return []
    throw error
  }
}

async function parentLabel(
  checkpoints: Store['checkpoints'],
  id: SessionId,
  signal?: AbortSignal,
): Promise<string> {
  return checkpoints.snapshot(id, signal).then(
    ({ values }) => labelOf(id, typedValues(values)),
    () => shortId(id),
  )
}
