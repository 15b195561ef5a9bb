import type { SessionId } from '#shared/session/ids.ts'

/** Where a reader was in a session and what they had unfolded; kept for the life of the window. */
export interface ReadingPlace {
  /** `null`: at the tail. Else the row at the top edge and how far into it the edge was. */
  readonly at: { readonly key: string; readonly offset: number } | null
  /** Heights measured before, so that coming back needs no second layout. */
  readonly heights: ReadonlyMap<string, number>
  /** Rows folded or unfolded against their default. */
  readonly toggled: ReadonlySet<string>
  readonly showsInherited: boolean
}

const MAX_PLACES = 100
const places = new Map<SessionId, ReadingPlace>()

export function placeOf(id: SessionId): ReadingPlace | undefined {
  return places.get(id)
}

export function keepPlace(id: SessionId, place: ReadingPlace): void {
  places.delete(id)
  places.set(id, place)
  if (places.size <= MAX_PLACES) return
  const oldest = places.keys().next().value
  if (oldest !== undefined) places.delete(oldest)
}
