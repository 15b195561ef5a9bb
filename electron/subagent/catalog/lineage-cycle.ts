import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { type CatalogDeps, type CatalogParts, throwIfCancelled } from './catalog-deps.ts'

/**
 * `start` and every session above it, up to where a cycle closes. A row of a listing of `start` that is among them
 * is above and below it: its parents lead back to itself. Headers only, by index.
 */
export async function sessionsAbove(
  deps: CatalogDeps,
  parts: CatalogParts,
  start: SessionId,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<SessionId>> {
  const live = new Map(parts.sessions.list().map(({ header }) => [header.id, header]))
  const met = new Set<SessionId>()
  let next: SessionId | undefined = start
  while (next !== undefined && !met.has(next)) {
    throwIfCancelled(signal)
    met.add(next)
    const header: SessionHeader | null = live.get(next) ?? (await storedHeader(deps, next, signal))
    next = header?.parentSession
  }
  return met
}

/** `null` for an unknown session, and for one whose header cannot be read: its parents are not known. */
async function storedHeader(
  { persistence }: CatalogDeps,
  id: SessionId,
  signal: AbortSignal | undefined,
): Promise<SessionHeader | null> {
  try {
    return (await persistence?.get(id, signal))?.header ?? null
  } catch {
    return null
  } finally {
    throwIfCancelled(signal)
  }
}
