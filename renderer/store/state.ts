import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Banner } from '#shared/banner.ts'
import type { SessionDetail, SessionSummary, UnreadableSession } from '#shared/contract/session-shapes.ts'
import type { HostInfo, PendingApproval, ProviderStatus } from '#shared/contract.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Settings } from '#shared/settings.ts'
import type { Activity, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import type { Failure } from './failure.ts'
import type { Transcripts } from './transcripts.ts'

/** A published projection value and the seq it stands at. */
export interface Cell {
  readonly value: unknown
  readonly seq: number
}

/** What frames said of one session since the window subscribed. It wins over what lists said. */
export interface LiveSession {
  /** The subscription that it comes from: a later list replaces what an earlier subscription said. */
  readonly epoch: number
  /** Frames at or below it are old: the last snapshot's seq. */
  readonly floor: number
  readonly cells: ReadonlyMap<string, Cell>
  readonly activity?: Activity
  readonly rollup?: { readonly running: number; readonly waiting: number }
  /** A child was added after its parent was listed. */
  readonly hasChildren?: true
}

/** Children of one parent. While they are read nothing is known of them, which is not "none". */
export type ChildList =
  | { readonly status: 'loading' }
  /** `failure`: the last refresh did not work, these are the rows from before it. */
  | {
      readonly status: 'ready'
      readonly entries: readonly SubagentListEntry[]
      readonly failure: Failure | null
    }
  | { readonly status: 'failed'; readonly failure: Failure }

export type Loading =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly failure: Failure | null }
  | { readonly status: 'failed'; readonly failure: Failure }

export type DetailState =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly detail: SessionDetail }
  | { readonly status: 'failed'; readonly failure: Failure }

/** A thing done that can be undone until `until` (epoch ms). */
export interface Undo {
  readonly id: number
  readonly text: string
  readonly until: number
  readonly what:
    | { readonly kind: 'unarchive'; readonly sessionId: SessionId }
    /** `reopen`: what was open of it. */
    | { readonly kind: 'restore'; readonly sessionId: SessionId; readonly reopen: SessionId | null }
}

export type InspectorTab = 'overview' | 'timeline' | 'changes' | 'tasks' | 'log' | 'diagnostics'

/** What lies over the workbench, at most one. */
export type Overlay =
  | { readonly kind: 'none' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' }
  /** `restore`: the backup that a person is asked about, on the storage page. */
  | { readonly kind: 'settings'; readonly page: SettingsPage; readonly restore?: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'rename'; readonly sessionId: SessionId }
  | { readonly kind: 'export'; readonly sessionId: SessionId }
  /** It would go into the trash, but work runs in it: `running` is the sentence that says which. */
  | { readonly kind: 'trash-running'; readonly sessionId: SessionId; readonly running: string }

export type SettingsPage =
  | 'appearance'
  | 'providers'
  | 'permissions'
  | 'limits'
  | 'import'
  | 'keyboard'
  | 'storage'
  | 'about'

export type Connection = 'connecting' | 'open' | 'lost'

/** Plain data, keyed by id. Remote truth comes through frames and lists, local truth through actions. */
export interface State {
  readonly connection: Connection
  /** Counts subscriptions. */
  readonly epoch: number
  readonly host: HostInfo | null
  readonly settings: Settings | null
  readonly providers: readonly ProviderStatus[]
  readonly defaultRoute: ModelRoute | null

  readonly roots: Loading
  readonly summaries: ReadonlyMap<SessionId, SessionSummary>
  readonly unreadable: readonly UnreadableSession[]
  readonly lists: ReadonlyMap<SessionId, ChildList>
  /** The row of each child listed so far, and whose child it is. These two and `live` grow with all there is: see `keyed.ts`. */
  readonly entries: ReadonlyMap<SessionId, SubagentListEntry>
  readonly parents: ReadonlyMap<SessionId, SessionId>
  readonly live: ReadonlyMap<SessionId, LiveSession>
  /** Parents to list again, since a child was added. */
  readonly stale: ReadonlySet<SessionId>
  readonly approvals: readonly PendingApproval[]
  /** Counts frames after which the open approvals have to be read again. */
  readonly approvalsVersion: number
  /** Raised when a root appeared of which only the header is known. */
  readonly rootsVersion: number
  readonly details: ReadonlyMap<SessionId, DetailState>
  readonly transcripts: Transcripts
  readonly banners: ReadonlyMap<string, Banner>
  /** Completed since the person last looked. */
  readonly unseen: ReadonlySet<SessionId>

  readonly open: SessionId | null
  /** A damaged record whose readable part is shown instead of its report. */
  readonly readAnyway: SessionId | null
  readonly past: readonly SessionId[]
  readonly future: readonly SessionId[]
  readonly expanded: ReadonlySet<SessionId>
  readonly closedGroups: ReadonlySet<string>
  readonly fullGroups: ReadonlySet<string>
  readonly query: string
  readonly sort: 'recent' | 'title'
  readonly filter: 'all' | 'active' | 'failed'
  readonly overlay: Overlay
  readonly inspectorTab: InspectorTab
  readonly sidebarShown: boolean
  readonly inspectorShown: boolean
  readonly undo: Undo | null
  /** What a click could not do, until dismissed. */
  readonly problem: { readonly id: number; readonly title: string; readonly failure: Failure } | null
  /** Raised by one when the composer should take the focus. */
  readonly composerFocus: number
  /** Raised by one when the conversation should open its find bar. */
  readonly findRequest: number
}

export type Store = StoreApi<State>

export const INITIAL_STATE: State = {
  connection: 'connecting',
  epoch: 0,
  host: null,
  settings: null,
  providers: [],
  defaultRoute: null,
  roots: { status: 'loading' },
  summaries: new Map(),
  unreadable: [],
  lists: new Map(),
  entries: new Map(),
  parents: new Map(),
  live: new Map(),
  stale: new Set(),
  approvals: [],
  approvalsVersion: 0,
  rootsVersion: 0,
  details: new Map(),
  transcripts: new Map(),
  banners: new Map(),
  unseen: new Set(),
  open: null,
  readAnyway: null,
  past: [],
  future: [],
  expanded: new Set(),
  closedGroups: new Set(['archived']),
  fullGroups: new Set(),
  query: '',
  sort: 'recent',
  filter: 'all',
  overlay: { kind: 'none' },
  inspectorTab: 'overview',
  sidebarShown: true,
  inspectorShown: true,
  undo: null,
  problem: null,
  composerFocus: 0,
  findRequest: 0,
}

export function createWorkbenchStore(initial: Partial<State> = {}): Store {
  return createStore(() => ({ ...INITIAL_STATE, ...initial }))
}
