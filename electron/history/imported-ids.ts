import { createHash } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** Eight hexadecimal characters that stand for `text`. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/**
 * `text` as a part of a session id, at most `max` characters: the same text always gives the same part. Text that
 * had to be changed or cut gets a hash of the original, so that two different texts stay different.
 */
export function idPart(text: string, max: number): string {
  const safe = text.replaceAll(/[^A-Za-z0-9_-]+/g, '-')
  if (safe === text && text.length <= max && text !== '') return text
  return `${safe.slice(0, max - 9)}-${shortHash(text)}`
}

/** `text` as an id of a message or call, which may be any text of 1 to 256 characters. */
export function localId(text: string): string {
  return text.length > 0 && text.length <= 256
    ? text
    : `${text.slice(0, 200).toWellFormed()}-${shortHash(text)}`
}
