import type { CallResult } from './entry.ts'
import { shownText, tookText } from './shown-text.ts'

/** "ok, 412 lines, 3.1 s". */
export function outcomeOf(result: CallResult | null): string {
  if (result === null) return 'no result'
  const { status, code, summary, durationMs } = result
  const notes = [summary ?? code, durationMs === null ? null : tookText(durationMs)].filter(
    part => part !== null,
  )
  return [status === 'ok' ? 'ok' : 'failed', ...notes].join(', ')
}

export function jsonText(value: unknown): string {
  return shownText(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))
}
