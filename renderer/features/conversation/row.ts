import type { PendingApproval } from '#shared/contract.ts'
import type { Content } from '#shared/session/content.ts'
import type { ChildOutcome, CutText, EventData, MessageSource } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'

/** What every row has. `key` survives appends, prepends and the end of a stream; `height` is a guess in px. */
interface Base {
  readonly key: string
  /** Seq of the event that made the row: where a deep link or a hit lands. */
  readonly seq: number
  readonly time: number
  readonly height: number
  /** Of the event at `seq`, on its first row: what of it came shortened. */
  readonly cut?: readonly CutText[]
}

/** What a person, the parent, a child or a teammate said. `label`: the author, where the log names them. */
export interface MessageRow extends Base {
  readonly kind: 'message'
  readonly source: MessageSource
  readonly label: string | null
  readonly content: Content
  /** How the child ended whose settlement this is. */
  readonly outcome: ChildOutcome | null
}

/** A command of an imported history that the person gave to the tool (`/`) or to the shell (`!`). */
export interface CommandRow extends Base {
  readonly kind: 'command'
  readonly sign: '/' | '!'
  readonly name: string
  readonly args: string
}

export interface TextRow extends Base {
  readonly kind: 'text'
  readonly text: string
  /** Still streaming: its last block may change. */
  readonly live: boolean
}

export interface ThinkingRow extends Base {
  readonly kind: 'thinking'
  readonly text: string
  /** The share of the request's time that the thinking's share of its text suggests; `null` when unknown. */
  readonly tookMs: number | null
  readonly live: boolean
}

export type ToolState = 'asked' | 'running' | 'ok' | 'error' | 'denied' | 'stopped' | 'over'

/** One call, from the model's wish to its result. `over`: its turn ended without one, or before it ran. */
export interface ToolRow extends Base {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  readonly verb: string
  readonly target: string
  readonly input: unknown
  readonly state: ToolState
  readonly startedAt: number | null
  readonly result: EventData<'tool/result'> | null
  readonly resultSeq: number | null
  /** What of the event at `resultSeq` came shortened. */
  readonly resultCut?: readonly CutText[]
}

/** A call that started a child. What the child does now comes from the store, not from this log. */
export interface DelegateRow extends Base {
  readonly kind: 'delegate'
  readonly callId: string
  readonly turn: number
  readonly childId: SessionId
  readonly label: string
  readonly background: boolean
  readonly startedAt: number
  readonly endedAt: number | null
  readonly outcome: ChildOutcome | null
  /** Its closing words, or what the call answered. */
  readonly text: string
}

/** A line between messages: a changed model, a retried request, an origin. */
export interface NoteRow extends Base {
  readonly kind: 'note'
  readonly note:
    | { readonly of: 'model'; readonly model: string; readonly effort: string | null }
    | { readonly of: 'retry'; readonly attempt: number; readonly delayMs: number; readonly message: string }
    | { readonly of: 'imported'; readonly tool: string; readonly path: string }
    | { readonly of: 'raw'; readonly count: number }
    /** Written for the model: `code` as a terminal shows it, `text` empty where the label says it all. */
    | { readonly of: 'context'; readonly label: string; readonly text: string; readonly code: boolean }
}

export interface CompactionRow extends Base {
  readonly kind: 'compaction'
  readonly summary: string
  readonly covered: number
}

export interface TurnEndRow extends Base {
  readonly kind: 'turn-end'
  readonly reason: TurnEndReason
  readonly startedAt: number | null
}

/** Events that the record lacks, between two sides that can be read or (`side: 'end'`) behind the last of them. */
export interface GapRow extends Base {
  readonly kind: 'gap'
  readonly missing: number
  readonly side: 'between' | 'end'
}

/** An event this version cannot read: its type, never its data. */
export interface OpaqueRow extends Base {
  readonly kind: 'opaque'
  readonly type: string
}

/** The inherited prefix of a fork, folded away. */
export interface InheritedRow extends Base {
  readonly kind: 'inherited'
  readonly count: number
  readonly from: SessionId | null
}

export interface ApprovalRow extends Base {
  readonly kind: 'approval'
  readonly pending: PendingApproval
  readonly position: number
  readonly total: number
}

export type Row =
  | MessageRow
  | CommandRow
  | TextRow
  | ThinkingRow
  | ToolRow
  | DelegateRow
  | NoteRow
  | CompactionRow
  | TurnEndRow
  | GapRow
  | OpaqueRow
  | InheritedRow
  | ApprovalRow

/** Two rows of one key are one row when every field is the same reference or value. */
export function sameRow(left: Row, right: Row): boolean {
  const a: Readonly<Record<string, unknown>> = { ...left }
  const b: Readonly<Record<string, unknown>> = { ...right }
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => sameField(a[name], b[name]))
}

function sameField(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  return JSON.stringify(a) === JSON.stringify(b)
}
