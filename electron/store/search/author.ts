import { HIT_AUTHORS, type HitAuthor } from '#shared/contract/search.ts'
import type { EventRow } from '../event-rows.ts'

export function authorOf([, , type, data]: EventRow): HitAuthor {
  switch (type) {
    case 'assistant/message':
    case 'compaction/summary':
      return 'agent'
    case 'tool/result':
      return 'tool'
    case 'user/message':
      return HIT_AUTHORS.find(author => author === sourceKind(data)) ?? 'person'
    default:
      return 'record'
  }
}

function sourceKind(data: unknown): unknown {
  // It was parsed once before it was found.
  const parsed: { readonly source?: { readonly kind?: unknown } | null } = JSON.parse(String(data))
  return parsed.source?.kind
}
