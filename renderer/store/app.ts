import type { Client } from './client.ts'
import type { ChildLoader } from './load-children.ts'
import type { SessionLoader } from './load-sessions.ts'
import type { TranscriptLoader } from './load-transcripts.ts'
import type { Store } from './state.ts'

/** What only a shell can do; `null` where it cannot. */
export interface Shell {
  readonly chooseFolder: (() => Promise<string | null>) | null
  readonly windowControls: WindowControls | null
}

export interface WindowControls {
  readonly onMinimise: () => void
  readonly onMaximise: () => void
  readonly onClose: () => void
}

/** Everything actions need, passed by hand. */
export interface App extends Shell {
  readonly store: Store
  readonly client: Client
  readonly children: ChildLoader
  readonly sessions: SessionLoader
  readonly transcripts: TranscriptLoader
  /** Names what did not work and shows it to the person. */
  readonly report: (title: string, error: unknown) => void
}
