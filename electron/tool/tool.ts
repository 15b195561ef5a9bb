import type { z } from 'zod'
import type { Content } from '#shared/session/content.ts'
import type { OutputRef, ToolClass } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import type { ToolOutput } from './tool-output.ts'

/** What a tool's body may use. */
export interface ToolContext {
  readonly sessionId: SessionId
  readonly callId: string
  /** The folder of the session; relative paths start here. */
  readonly cwd: string
  /** Aborted when the turn is stopped: the body ends soon after, with what it has. */
  readonly signal: AbortSignal
  /** For what may be large. It is finished before the outcome is logged. */
  readonly output: ToolOutput
  /** The child id that `tool/call` announced, for tools that start one. */
  readonly childId?: SessionId
}

/** An ordinary answer, good or bad: the model reads `content` either way. Limits of size are the tool's. */
export interface ToolOutcome {
  readonly status: 'ok' | 'error'
  readonly content: Content
  readonly code?: string
  readonly summary?: string
  readonly files?: string[]
  readonly diff?: string
  readonly exitCode?: number | null
  /** Of `ToolContext.output`, where `content` does not show all of it. */
  readonly output?: OutputRef
  /** For a tool that waited for a child: which end of it this outcome tells. */
  readonly childSeq?: number
}

/**
 * One thing a model may ask for. `execute` answers every expected failure (no such file, exit code 1) with
 * `status: 'error'`; a throw is a fault of ours and becomes an error result all the same. It must heed `signal`.
 */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodType<Input>
  readonly toolClass: ToolClass
  /** What an *always* answer covers: "shell: npm test". Absent: the tool's name. */
  approvalPattern?(input: Input): string
  /** Asked before an approval: a call that leaves the folder of the session asks even where its class would not. */
  leavesFolder?(input: Input, cwd: string): boolean
  /** For tools that start a child: what `tool/call` announces of it. */
  announce?(input: Input): { readonly childId: SessionId; readonly background: boolean }
  execute(input: Input, context: ToolContext): Promise<ToolOutcome>
}

/** Keeps the input type of a tool where it is defined; a list of tools forgets it. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as Tool
}

/** A call ready to run, or the refusal that the model reads instead. */
export type ParsedInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly problem: string }

export function parseInput(tool: Tool, input: Json | undefined): ParsedInput {
  const parsed = tool.inputSchema.safeParse(input ?? {})
  return parsed.success ? { ok: true, input: parsed.data } : { ok: false, problem: parsed.error.message }
}
