import type { EventRow } from '../event-rows.ts'

/** Who said what was found. `record`: nobody, it is a fact of the session. */
export const AUTHORS = [
  'person',
  'parent',
  'settlement',
  'report',
  'context',
  'agent',
  'tool',
  'record',
] as const
export type Author = (typeof AUTHORS)[number]

export function authorOf([, , type, data]: EventRow): Author {
  switch (type) {
    case 'assistant/message':
    case 'compaction/summary':
      return 'agent'
    case 'tool/result':
      return 'tool'
    case 'user/message':
      return AUTHORS.find(author => author === sourceKind(data)) ?? 'person'
    default:
      return 'record'
  }
}

function sourceKind(data: unknown): unknown {
  // It was parsed once before it was found.
  const parsed: { readonly source?: { readonly kind?: unknown } | null } = JSON.parse(String(data))
  return parsed.source?.kind
}
