import { textContent } from '#shared/session/content.ts'
import type { ToolOutcome } from './tool.ts'

/** `facts` may be anything of an outcome but its status and text. */
type Facts = Omit<ToolOutcome, 'status' | 'content'>

export function okOutcome(text: string, facts: Facts = {}): ToolOutcome {
  return { status: 'ok', content: textContent(text.toWellFormed()), ...facts }
}

/** `text`: what happened and one thing to do, for the model. */
export function errorOutcome(code: string, text: string, facts: Facts = {}): ToolOutcome {
  return { status: 'error', code, content: textContent(text.toWellFormed()), ...facts }
}

/** "1 line", "412 lines". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
}

/** "812 bytes", "4.1 MB". */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte')
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** At most `max` characters, never ending in half of one. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
