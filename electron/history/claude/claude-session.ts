import type { JsonRecord } from '../json-fields.ts'
import type { LoadedFile } from './load.ts'

export interface AgentFile extends LoadedFile {
  readonly agentId: string
  readonly path: string
  readonly meta: JsonRecord | null
  readonly workflow: string | null
}

/** Everything the tool wrote about one session. */
export interface ClaudeSession {
  /** The stem of the main file's name, or the id that orphaned agents name. */
  readonly sessionId: string
  readonly path: string
  /** `null`: the main file is absent or holds no conversation. */
  readonly main: LoadedFile | null
  readonly agents: readonly AgentFile[]
  /** Summary by the uuid of the line it was made for, from all files of the project. */
  readonly summaries: ReadonlyMap<string, string>
  /** Label by agent id, from the records of workflow runs. */
  readonly workflowLabels: ReadonlyMap<string, string>
  /** Epoch milliseconds: stands in where no line has a time. */
  readonly fileTime: number
}
