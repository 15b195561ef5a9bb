import type { HistoryPage } from '#shared/contract/session-shapes.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { ProjectionRegistry } from './registry.ts'

export interface HistoryDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly persistence: Pick<SessionPersistence, 'page' | 'readFrom'>
  readonly checkpoints: Pick<CheckpointStore, 'snapshot'>
  /** A snapshot that cannot be made never withholds a page: it is reported here. */
  readonly onError: (error: unknown) => void
}

export interface PageRange {
  readonly before?: number | undefined
  readonly limit: number
}

/** Pages of a log, live or cold, by one range read and without starting an agent (contracts §5). */
export function createHistory(deps: HistoryDeps) {
  return {
    async page(id: SessionId, range: PageRange, signal?: AbortSignal): Promise<HistoryPage> {
      const session = deps.live.get(id)
      return session === undefined
        ? coldPage(deps, id, range, signal)
        : livePage(deps, session, range, signal)
    },

    /** @throws WorkbenchError `BAD_REQUEST` when there is no such event. */
    async event(id: SessionId, seq: number, signal?: AbortSignal): Promise<StoredEvent> {
      const inMemory = deps.live.get(id)?.tail.find(event => event.seq === seq)
      const event = inMemory ?? (await deps.persistence.readFrom(id, seq, 1, signal))[0]
      if (event?.seq === seq) return event
      throw new WorkbenchError('BAD_REQUEST', `There is no event ${seq} in this session.`)
    },
  }
}
export type History = ReturnType<typeof createHistory>

async function livePage(
  deps: HistoryDeps,
  session: Session,
  range: PageRange,
  signal?: AbortSignal,
): Promise<HistoryPage> {
  const end = Math.min(range.before ?? session.nextSeq, session.nextSeq)
  const first = Math.max(0, end - range.limit)
  const tailStart = session.tail[0]?.seq ?? session.nextSeq
  const inMemory = session.tail.filter(event => event.seq >= first && event.seq < end)
  const snapshot = range.before === undefined ? deps.registry.snapshot(session.id) : null
  const endSeq = session.nextSeq
  const older =
    first < tailStart && first < end
      ? await deps.persistence.readFrom(session.id, first, Math.min(end, tailStart) - first, signal)
      : []
  return {
    events: [...older, ...inMemory],
    nextBefore: first > 0 ? first : null,
    endSeq,
    seedLength: session.header.seedLength ?? 0,
    live: true,
    snapshot: snapshot === null ? null : toWire(snapshot),
    damage: [],
  }
}

async function coldPage(
  deps: HistoryDeps,
  id: SessionId,
  range: PageRange,
  signal?: AbortSignal,
): Promise<HistoryPage> {
  const { before, limit } = range
  const [page, snapshot] = await Promise.all([
    deps.persistence.page(id, before === undefined ? { limit } : { before, limit }, signal),
    before === undefined ? snapshotOrNull(deps, id, signal) : null,
  ])
  return {
    events: [...page.events],
    nextBefore: page.nextBefore,
    endSeq: page.endSeq,
    seedLength: page.header.seedLength ?? 0,
    live: false,
    snapshot: snapshot === null ? null : toWire(snapshot),
    damage: [...page.damage],
  }
}

async function snapshotOrNull(
  deps: HistoryDeps,
  id: SessionId,
  signal?: AbortSignal,
): Promise<FoldSnapshot | null> {
  try {
    return await deps.checkpoints.snapshot(id, signal)
  } catch (error) {
    if (!signal?.aborted) deps.onError(error)
    return null
  }
}

function toWire({ asOfSeq, values, faults }: FoldSnapshot): HistoryPage['snapshot'] {
  return { asOfSeq, values: { ...values }, faults: [...faults] }
}
