import type { StoredEvent } from '#shared/session/events.ts'
import type { LoadedSession, SessionPersistence } from '../store/persistence.ts'

const EVENTS_A_PAGE = 500

/** A loaded log from its first event on, page by page: a long one is never held whole. */
export async function* wholeLog(
  persistence: Pick<SessionPersistence, 'readFrom'>,
  { header, events }: LoadedSession,
): AsyncGenerator<readonly StoredEvent[]> {
  const loadedFrom = events[0]?.seq ?? 0
  for (let seq = 0; seq < loadedFrom; ) {
    const page = await persistence.readFrom(header.id, seq, Math.min(EVENTS_A_PAGE, loadedFrom - seq))
    yield page
    seq = (page.at(-1)?.seq ?? loadedFrom) + 1
  }
  yield events
}
