import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SessionPersistence } from '../store/persistence.ts'

/**
 * How many of these events, from the first on, the log holds already. 0 as well when it holds others in their
 * place: then somebody else wrote it.
 */
export async function storedOf(
  persistence: Pick<SessionPersistence, 'readFrom'>,
  id: SessionId,
  events: readonly StoredEvent[],
): Promise<number> {
  const first = events[0]?.seq ?? 0
  const stored = await persistence.readFrom(id, first, events.length)
  return stored.every((event, index) => textOf(event) === textOf(events[index])) ? stored.length : 0
}

/** As stored: the order of keys is kept by the log. */
function textOf(event: StoredEvent | undefined): string {
  if (event === undefined) return ''
  const { seq, time, type, data } = event
  return JSON.stringify([seq, time, type, data])
}
