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
  const events = await readAll(deps, source)
  const end = atSeq ?? lastBoundary(events)
  if (end > events.length) throw new WorkbenchError('BAD_REQUEST', `There is no event ${end - 1} to fork at.`)
  const seed = events.slice(0, end)
  if (isInsideTurn(seed)) throw new WorkbenchError('BAD_REQUEST', 'A fork cannot begin inside an open turn.')
  return seed
}

async function readAll({ live, persistence }: ForkDeps, source: SessionId): Promise<StoredEvent[]> {
  const session = live.get(source)
  if (session === undefined) return denseOf((await persistence.inspect(source)).events)
  await live.flush()
  return [...(await persistence.readFrom(source, 0, session.nextSeq))]
}

/** The part before the first hole: a fork must not join what does not belong together. */
function denseOf(events: readonly StoredEvent[]): StoredEvent[] {
  const hole = events.findIndex((event, index) => event.seq !== index)
  return events.slice(0, hole === -1 ? events.length : hole)
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
