import type { MessagePort } from 'node:worker_threads'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'

/** What the stress run tells one of its windows. */
export type ToWindow =
  /** Anew, over a line of its own. `reloadAfter`: asks to be loaded again after so many frames. */
  | {
      readonly kind: 'load'
      readonly port: MessagePort
      readonly rootId: SessionId
      readonly open: SessionId
      readonly reloadAfter: number | null
    }
  /** Answers nothing from now on. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'answer' }
  | { readonly kind: 'report' }
  | { readonly kind: 'end' }

export type FromWindow =
  | { readonly kind: 'reload' }
  | { readonly kind: 'report'; readonly report: WindowReport }

export interface WindowReport {
  /** Over all loads. */
  readonly frames: number
  readonly batches: number
  readonly loads: number
  readonly faults: readonly string[]
  readonly held: {
    readonly listed: readonly SessionId[]
    readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    /** Of the open transcript. */
    readonly behind: number | null
    readonly events: readonly StoredEvent[]
  } | null
}
