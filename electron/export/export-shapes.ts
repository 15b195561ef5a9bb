import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Damage } from '#shared/session/inspection.ts'

/** One session of an export, as its head says. Texts are redacted already where the export is. */
export interface Section {
  readonly id: SessionId
  /** Counts from 1: the place in the file, and its anchor. */
  readonly number: number
  readonly parentId: SessionId | null
  /** 0: the session that was asked for. */
  readonly depth: number
  readonly label: string
  readonly mode: 'session' | 'one-shot' | 'continuable' | null
  /** The word of its state, or what is wrong with it. */
  readonly state: string
}

export interface ExportHead {
  readonly sections: readonly Section[]
  readonly isTree: boolean
  readonly isRedacted: boolean
  /** Epoch milliseconds. */
  readonly exportedAt: number
  readonly version: string
}

/** What follows each other in a log: events and, where they are missing, what is known of them. */
export type LogItem =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** Not in the log: what the next resume will add to one that broke off. */
  | { readonly kind: 'closer'; readonly event: StoredEvent }
  | { readonly kind: 'damage'; readonly damage: Damage }
  /** A part of what a call put out, in order. */
  | {
      readonly kind: 'output'
      readonly id: string
      readonly encoding: 'text' | 'base64'
      readonly text: string
    }
  /** The record cannot be read the usual way: a sentence. */
  | { readonly kind: 'problem'; readonly sentence: string }
  /** A row of such a record, as it is stored. */
  | { readonly kind: 'row'; readonly seq: number; readonly type: string; readonly text: string }

/** Writes one file, from its first to its last character, in the order of its methods. */
export interface ExportWriter {
  /** Outputs that were stored beside the log: which of them it takes whole. */
  takesOutput(bytes: number): boolean
  begin(head: ExportHead): string
  open(section: Section, header: SessionHeader | null): string
  item(item: LogItem): string
  close(): string
  end(totals: { readonly sessions: number; readonly events: number }): string
}
