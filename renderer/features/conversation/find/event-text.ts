import type { StoredEvent } from '#shared/session/events.ts'

const SHOWN: ReadonlySet<string> = new Set([
  'user/message',
  'assistant/message',
  'tool/call',
  'tool/result',
  'compaction/summary',
  'subagent/report',
  'subagent/settled',
])
/** Fields whose text no row shows. */
const HIDDEN: ReadonlySet<string> = new Set([
  'id',
  'callId',
  'type',
  'mediaType',
  'signature',
  'childId',
  'from',
  'kind',
])

/** Whether a row made from this event shows `needle`, which is in lower case. Reads unchecked data, never throws. */
export function showsText(event: StoredEvent, needle: string): boolean {
  return SHOWN.has(event.type) && holds(event.data, needle)
}

/** Iterative: a log may nest deeply. Pictures are not text. */
function holds(data: unknown, needle: string): boolean {
  const pending: unknown[] = [data]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') {
      if (value.toLowerCase().includes(needle)) return true
    } else if (Array.isArray(value)) {
      pending.push(...value)
    } else if (typeof value === 'object' && value !== null && !('mediaType' in value)) {
      for (const [name, field] of Object.entries(value)) if (!HIDDEN.has(name)) pending.push(field)
    }
  }
  return false
}
