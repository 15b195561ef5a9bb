import type { ModelRoute } from '#shared/session/events.ts'
import type { Tool } from '../tool/tool.ts'

/** What an agent is: read anew before each model request, so that a changed model counts at once. */
export interface AgentSetup {
  readonly route: ModelRoute
  readonly system: string
  readonly tools: readonly Tool[]
  readonly cwd: string
}
