import type { Content } from '#shared/session/content.ts'
import type { OutputRef } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'

/** What a person reads of a session: one entry after the other. All texts are hostile. */
export type Entry =
  | { readonly kind: 'message'; readonly author: string; readonly time: number; readonly content: Content }
  | { readonly kind: 'thinking'; readonly time: number; readonly text: string }
  | CallEntry
  | { readonly kind: 'note'; readonly text: string; readonly tone: 'plain' | 'warning' }
  /** Something without a form of its own, as JSON. */
  | { readonly kind: 'json'; readonly title: string; readonly value: unknown }
  /** A part of an output that is shown whole. */
  | { readonly kind: 'output'; readonly text: string }

export interface CallEntry {
  readonly kind: 'call'
  readonly time: number
  /** "Run npm test". */
  readonly line: string
  readonly input: unknown
  readonly childId: SessionId | null
  readonly result: CallResult | null
}

export interface CallResult {
  readonly status: 'ok' | 'error'
  readonly code: string | null
  readonly content: Content
  readonly durationMs: number | null
  readonly summary: string | null
  readonly diff: string | null
  readonly output: OutputRef | null
}
