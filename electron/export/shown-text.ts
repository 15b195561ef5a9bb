import { stripVTControlCharacters } from 'node:util'

const HIDDEN = /[[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]--[\n\t]]/gv

/** Text that moves no cursor, sets no title and reorders nothing, whoever shows the file. Line breaks and tabs stay. */
export function shownText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replaceAll(HIDDEN, '')
}

export function shownLine(text: string): string {
  return shownText(text.replaceAll(/\s+/g, ' ')).trim()
}

/** "2026-11-30 14:02:07 UTC": the same wherever the file is read. Empty for a time that is none. */
export function timeText(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** "412 ms", "3.1 s", "2 m 05 s". */
export function tookText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`
}
