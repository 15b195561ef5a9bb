import { WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SessionPersistence } from '../store/persistence.ts'
import type { LiveSessions } from './live-sessions.ts'

export interface ForkDeps {
  readonly live: LiveSessions
  readonly persistence: Pick<SessionPersistence, 'inspect' | 'readFrom'>
}

/**
 * The events that a fork inherits: everything below `atSeq`, by default up to the end of the last finished turn.
 * Read-only for the source. Nothing of an open turn is inherited.
 * @throws WorkbenchError `BAD_REQUEST` for a boundary inside an open turn or past the end, `SESSION_DAMAGED` for a
 * boundary behind a hole in the log.
 */
export async function seedOf(deps: ForkDeps, source: SessionId, atSeq?: number): Promise<StoredEvent[]> {
  const { events, hole } = await readAll(deps, source)
  const end = atSeq ?? lastBoundary(events)
  if (atSeq !== undefined && hole !== null && atSeq > hole) {
    throw new WorkbenchError('SESSION_DAMAGED', 'A fork cannot reach behind a hole in the log.')
  }
  if (!Number.isSafeInteger(end) || end < 0 || end > events.length) {
    throw new WorkbenchError('BAD_REQUEST', `There is no event ${end - 1} to fork at.`)
  }
  const seed = events.slice(0, end)
  if (isInsideTurn(seed)) throw new WorkbenchError('BAD_REQUEST', 'A fork cannot begin inside an open turn.')
  return seed
}

/** The log, a cold one with its closers. `hole`: the seq at which damage begins, `null` for none. */
interface Readable {
  readonly events: readonly StoredEvent[]
  readonly hole: number | null
}

async function readAll({ live, persistence }: ForkDeps, source: SessionId): Promise<Readable> {
  const session = live.get(source)
  if (session === undefined) {
    const { events, closers, damage } = await persistence.inspect(source)
    return { events, hole: damage.length === 0 ? null : events.length - closers }
  }
  await live.flush()
  return { events: await persistence.readFrom(source, 0, session.nextSeq), hole: null }
}

/** After the last `turn/end`, with what follows it between turns; the whole log when no turn is open. */
function lastBoundary(events: readonly StoredEvent[]): number {
  const start = events.findLastIndex(({ type }) => type === 'turn/start')
  const end = events.findLastIndex(({ type }) => type === 'turn/end')
  return start > end ? start : events.length
}

function isInsideTurn(events: readonly StoredEvent[]): boolean {
  const start = events.findLastIndex(({ type }) => type === 'turn/start')
  return start > events.findLastIndex(({ type }) => type === 'turn/end')
}
