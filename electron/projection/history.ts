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
  readonly checkpoints: Pick<CheckpointStore, 'snapshot' | 'recentSnapshot'>
  /** A tail page went out without its snapshot: here it is. */
  readonly onLateSnapshot?: ((id: SessionId, snapshot: FoldSnapshot) => void) | undefined
  /** A snapshot that cannot be made never withholds a page: it is reported here. */
  readonly onError: (error: unknown) => void
}

export interface PageRange {
  readonly before?: number | undefined
  readonly limit: number
}

/** A page waits for a fold of so many events; a longer one follows it. */
const MAX_TAIL = 2000

/** Pages of a log, live or cold, by one range read and without starting an agent (contracts §5). */
export function createHistory(deps: HistoryDeps) {
  const late = new Set<SessionId>()

  /** Folds a whole log after its page was served, once however often it is asked for meanwhile. */
  function foldLater(id: SessionId): void {
    if (deps.onLateSnapshot === undefined || late.has(id)) return
    late.add(id)
    deps.checkpoints
      .snapshot(id)
      .then(snapshot => deps.onLateSnapshot?.(id, snapshot))
      .catch(deps.onError)
      .finally(() => late.delete(id))
  }

  return {
    async page(id: SessionId, range: PageRange, signal?: AbortSignal): Promise<HistoryPage> {
      const session = deps.live.get(id)
      return session === undefined
        ? coldPage(deps, id, range, { foldLater, signal })
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
  { before, limit }: PageRange,
  { foldLater, signal }: { foldLater: (id: SessionId) => void; signal: AbortSignal | undefined },
): Promise<HistoryPage> {
  const [page, values] = await Promise.all([
    deps.persistence.page(id, { limit, shortened: true, ...(before !== undefined && { before }) }, signal),
    before === undefined ? readValues(deps, id, signal) : { kind: 'not asked for' as const },
  ])
  // A page that failed has said why already.
  if (values.kind === 'failed') deps.onError(values.error)
  if (values.kind === 'too long') foldLater(id)
  return {
    events: [...page.events],
    nextBefore: page.nextBefore,
    endSeq: page.endSeq,
    seedLength: page.header.seedLength ?? 0,
    live: false,
    snapshot: values.kind === 'snapshot' ? toWire(values.snapshot) : null,
    damage: [...page.damage],
  }
}

type Values =
  | { readonly kind: 'snapshot'; readonly snapshot: FoldSnapshot }
  /** Checkpoints do not reach far enough: the fold would hold up the page. */
  | { readonly kind: 'too long' }
  | { readonly kind: 'failed'; readonly error: unknown }

async function readValues(deps: HistoryDeps, id: SessionId, signal?: AbortSignal): Promise<Values> {
  try {
    const snapshot = await deps.checkpoints.recentSnapshot(id, MAX_TAIL, signal)
    return snapshot === null ? { kind: 'too long' } : { kind: 'snapshot', snapshot }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

function toWire({ asOfSeq, values, faults }: FoldSnapshot): HistoryPage['snapshot'] {
  return { asOfSeq, values: { ...values }, faults: [...faults] }
}
