import { type SessionId, toSessionId } from '#shared/session/ids.ts'

/** The same id for the same name, in the shape of real ones. */
export function fixtureId(name: string): SessionId {
  let hash = 0x811c9dc5
  for (const char of name) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  const hex = hash.toString(16).padStart(8, '0')
  return toSessionId(`019e0a3c-7d10-7000-8000-${hex.slice(0, 4)}${hex}`)
}
