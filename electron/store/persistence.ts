import type { CheckpointRow } from '#shared/projection/checkpoint-row.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { Draft } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { Json } from '#shared/session/json.ts'

/**
 * The two seams of storage (contracts §2). Promises of every method: nothing is written unless the name says
 * so; an aborted `signal` rejects with `signal.reason`; an unknown id rejects with `SESSION_NOT_FOUND`; a
 * failing medium rejects with `STORE_UNAVAILABLE` (with `cause`); values are plain data the caller may keep.
 */

export interface StoredSession {
  readonly header: SessionHeader
  /** Number of events the record states: seq of the next append. */
  readonly endSeq: number
  readonly archived: boolean
  /** Some stored, not trashed session has `origin: 'subagent'` and this id as its parent. */
  readonly hasSubagentChildren: boolean
  /** Time of the last event (epoch ms), `createdAt` without one. */
  readonly lastActivity: number
}

export interface SessionListing {
  /** By `createdAt`, then id by code unit. */
  readonly sessions: readonly StoredSession[]
  /** Records whose header cannot be read: only in listings without a parent. */
  readonly unreadable: readonly { readonly id: string; readonly problem: string }[]
}

export type ListFilter =
  /** Sessions that no one delegated: everything without `origin`. */
  | { readonly kind: 'roots' }
  /** Direct subagent children, by index. */
  | { readonly kind: 'children'; readonly parent: SessionId }
  /** Every session below `root`, forks included, each once. `root` itself is left out. */
  | { readonly kind: 'tree'; readonly root: SessionId }
  | { readonly kind: 'all' }

export interface Inspection {
  readonly header: SessionHeader
  /** Readable events in order, then the closers, which exist in memory only. */
  readonly events: readonly StoredEvent[]
  /** How many at the end of `events` are closers. */
  readonly closers: number
  readonly damage: readonly Damage[]
}

/** One `inspect` and one fold of it, made off the main thread. */
export interface FoldedInspection {
  readonly header: SessionHeader
  readonly damage: readonly Damage[]
  readonly snapshot: FoldSnapshot
  /** State of the `subagent` unit: why there is no identity, and how many descriptors there were. */
  readonly subagentState: unknown
}

/** Events that a load hands over at least, where there are as many. */
export const LOADED_TAIL = 500

export interface LoadedSession {
  readonly header: SessionHeader
  /**
   * The end of the log, closers included: they are committed. At least its last 500 events, and everything that the
   * checkpoint does not cover; what comes before is read with `readFrom`.
   */
  readonly events: readonly StoredEvent[]
  readonly checkpoint: readonly CheckpointRow[]
  /** Its open calls wait for an approval: it was not closed. */
  readonly waitingForApproval: boolean
}

export interface LogPage {
  readonly header: SessionHeader
  /**
   * In order. Undecodable rows are left out and named in `damage`. The tail page of an interrupted log ends with its
   * closers: in memory only, and just as the next load will commit them.
   */
  readonly events: readonly StoredEvent[]
  /** How many at the end of `events` are closers. */
  readonly closers: number
  readonly nextBefore: number | null
  /** Seq after the last event, closers included. */
  readonly endSeq: number
  readonly damage: readonly Damage[]
}

export interface AppendBatch {
  readonly sessionId: SessionId
  /** Seq of the first event: must be the log's end. */
  readonly expectedSeq: number
  readonly events: readonly StoredEvent[]
  /** The data of each event went through `seal`: it is not looked through again. */
  readonly sealed?: true
}

/** `conflict`: a stale `expectedSeq`; nothing of that batch was written, the others were. */
export type AppendResult = 'written' | 'conflict' | 'missing'

export interface RawRow {
  readonly seq: number
  readonly type: string
  /** The stored text, at most 4,000 characters. */
  readonly text: string
}

/** One act of throwing away, named by the session it began with. */
export interface TrashedTree {
  readonly id: SessionId
  /** Title or label, where a checkpoint tells it. */
  readonly label: string | null
  readonly cwd: string | null
  /** Epoch ms. */
  readonly trashedAt: number
  /** Sessions that a purge would delete. */
  readonly sessions: number
}

export interface SessionPersistence {
  /** Header and first events in one transaction. Rejects with `SESSION_EXISTS`. */
  create(header: SessionHeader, events: readonly StoredEvent[]): Promise<void>
  /** Headers only. A session without a single event is not listed yet, nor does it count as a child. */
  list(filter: ListFilter, signal?: AbortSignal): Promise<SessionListing>
  /** `null` for an unknown or trashed id. Rejects like `inspect` for a header that cannot be read. */
  get(id: SessionId, signal?: AbortSignal): Promise<StoredSession | null>
  /**
   * Read-only. The longest valid log and what is wrong with it. Rejects with `SESSION_DAMAGED` only for a header
   * that cannot be read, with `SESSION_VERSION` for one of another version.
   */
  inspect(id: SessionId, signal?: AbortSignal): Promise<Inspection>
  inspectFolded(id: SessionId, signal?: AbortSignal): Promise<FoldedInspection>
  /**
   * The strict read before a resume: commits the closers. Rejects with `SESSION_DAMAGED` for any damage with
   * readable events behind it (a torn tail is cut: its unreadable rows are kept in `lost_event`), for an unknown
   * event type that is not `ignorable`, for a message whose data cannot be understood, and with `SESSION_VERSION` for a header of another version.
   */
  load(id: SessionId, signal?: AbortSignal): Promise<LoadedSession>
  /** Readable events from `seq` on, at most `limit`; undecodable ones are passed over. Beyond the end: empty. */
  readFrom(id: SessionId, seq: number, limit: number, signal?: AbortSignal): Promise<readonly StoredEvent[]>
  /**
   * One range read, backwards from `before` (absent: the tail). `shortened`: events as a window is sent them, each bounded
   * (`wireEvent`), so that what is long is neither sent nor parsed.
   */
  page(
    id: SessionId,
    range: { before?: number; limit: number; shortened?: true },
    signal?: AbortSignal,
  ): Promise<LogPage>
  /** The rows as they are stored, whatever is wrong with them or their header. */
  raw(id: SessionId, fromSeq: number, limit: number): Promise<readonly RawRow[]>
  /**
   * One durable transaction for all batches. Results are in the order of `batches`. Nothing is partly written.
   * Rejects before anything is written with `SEQ_CONFLICT` for seqs that are not dense, with `BAD_REQUEST` for
   * data that is not lossless JSON. Events must not change until it resolves. A trashed session takes events.
   */
  append(batches: readonly AppendBatch[]): Promise<readonly AppendResult[]>
  /** Replaces the open message of each session, `null` removes it. Outside the log. */
  saveDrafts(
    drafts: readonly { readonly sessionId: SessionId; readonly draft: Draft | null }[],
  ): Promise<void>
  /**
   * The session and everything delegated below it, at any depth; forks of it are sessions in their own right and stay
   * as they are. Taking it back changes exactly those that were archived together with `id`. Resolves with the number
   * of sessions that changed.
   */
  archive(id: SessionId, archived: boolean): Promise<number>
  /** The same tree, out of every view; resolves with the number of sessions. Nothing is deleted. */
  trash(id: SessionId): Promise<number>
  /** Everything that was trashed together with `id`, and nothing that was trashed before. Resolves with their number. */
  restore(id: SessionId): Promise<number>
  /** What is in the trash, one entry per act, the latest first. It stays there until somebody restores or purges it. */
  trashed(): Promise<readonly TrashedTree[]>
  /**
   * Deletes for good, with all that belongs to them: everything that was trashed together with `id`, and what was
   * trashed before from below it. From the start of the call on nothing shows or restores them; a kill in between
   * leaves the rest to `finishPurges`. Forks keep working: what they inherited is in their own logs. Resolves with the
   * number of sessions. Rejects with `BAD_REQUEST` for what is not in the trash.
   */
  purge(id: SessionId): Promise<number>
  /** Goes on with purges that a kill has cut short. */
  finishPurges(): Promise<void>
  /** Changes with every write to that log; equal revisions mean an equal log. */
  revision(id: SessionId, signal?: AbortSignal): Promise<string>
  /** What `doctor` reports: sentences about what is wrong, empty when nothing is. Never writes. */
  check(): Promise<readonly string[]>
}

export interface SessionCheckpoint {
  readonly sessionId: SessionId
  /** `lifecycleFacts` of the header it was made for. */
  readonly facts: string
  readonly rows: readonly CheckpointRow[]
  /** Keys of quarantined units: such a checkpoint identifies nobody. */
  readonly faults: readonly string[]
}

/** Published values as far as stored checkpoints give them. Dropped rows are simply absent. */
export interface CheckpointedValues {
  readonly sessionId: SessionId
  readonly facts: string
  readonly faults: readonly string[]
  readonly values: Readonly<Record<string, Json>>
  /** State of the `subagent` unit where its row is usable, else `null`. */
  readonly subagentState: unknown
  /** Lowest watermark among the rows read. */
  readonly asOfSeq: number
  /** Seq of the last stored `subagent/descriptor` event, by index; `null` when there is none. */
  readonly lastDescriptorSeq: number | null
}

export interface CheckpointStore {
  /** All rows of each session are replaced together. A session that is gone is skipped. */
  write(checkpoints: readonly SessionCheckpoint[]): Promise<void>
  /**
   * One query. Only `keys` are read, parsed and viewed; sessions without a checkpoint are absent. Not past a log's
   * end. `FACTS_KEY` among them asks for the facts of a cold session (without its preset) under that key, instead of
   * the projections they are made of.
   */
  read(
    ids: readonly SessionId[],
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly CheckpointedValues[]>
  /**
   * The values of one cold session as of its log's end: its checkpoint restored, the tail and the closers folded.
   * Falls back to a fold of the whole log. Reading writes nothing.
   */
  snapshot(id: SessionId, signal?: AbortSignal): Promise<FoldSnapshot>
  /** As `snapshot`, or `null` where more than `maxTail` events would have to be folded for it. */
  recentSnapshot(id: SessionId, maxTail: number, signal?: AbortSignal): Promise<FoldSnapshot | null>
  /** Sessions that wait for a person: an approval asked and not decided, checkpointed or newer. */
  waiting(signal?: AbortSignal): Promise<readonly SessionId[]>
  /**
   * Sessions whose checkpoint is missing or behind their log's end, latest activity first. All of them while the
   * units are not those of the last `caughtUp`.
   */
  behind(signal?: AbortSignal): Promise<readonly SessionId[]>
  /** Folds and stores what those checkpoints lack, off the main thread. A damaged log is left as it is. */
  catchUp(ids: readonly SessionId[]): Promise<void>
  /** Every session that was behind has been caught up by these units. */
  caughtUp(): Promise<void>
}
