import { z } from 'zod'
import { sessionIdSchema } from '../session/ids.ts'
import { outcomeSchema } from '../session/outcome.ts'

export const activitySchema = z.enum(['running', 'inactive'])
export type Activity = z.infer<typeof activitySchema>

/** What live units and current checkpoints hold of a session; what they do not hold is left out. */
export const sessionFactsSchema = z.object({
  outcome: outcomeSchema.nullable().optional(),
  /** Time spent in turns so far, and since when one is open (epoch ms). */
  timing: z.object({ settledMs: z.number(), runningSince: z.number().nullable() }).optional(),
  /** Own tokens, in and out. */
  tokens: z.number().optional(),
  costUsd: z.number().nullable().optional(),
  model: z.string().nullable().optional(),
  lastActivity: z.number().nullable().optional(),
  openApprovals: z.number().optional(),
  preset: z.string().optional(),
})
export type SessionFacts = z.infer<typeof sessionFactsSchema>

/** Contracts §6. Shown to people, never to the model. */
export const childWarningSchema = z.enum([
  'several-descriptors',
  'identity-from-seed',
  'damaged-tail',
  'header-conflict',
  'lineage-cycle',
  'folder-missing',
])
export type ChildWarning = z.infer<typeof childWarningSchema>

export const diagnosticDetailSchema = z.discriminatedUnion('cause', [
  z.object({ cause: z.literal('descriptor-missing') }),
  z.object({ cause: z.literal('descriptor-malformed') }),
  z.object({ cause: z.literal('descriptor-version') }),
  z.object({ cause: z.literal('unit-fault'), unit: z.string() }),
  z.object({ cause: z.literal('header-changed') }),
  z.object({ cause: z.literal('log-gap') }),
  z.object({ cause: z.literal('log-undecodable') }),
  z.object({ cause: z.literal('read-failed'), code: z.string() }),
])
export type DiagnosticDetail = z.infer<typeof diagnosticDetailSchema>

const child = {
  kind: z.literal('child'),
  id: sessionIdSchema,
  activity: activitySchema,
  hasChildren: z.boolean(),
  facts: sessionFactsSchema.optional(),
  warnings: z.array(childWarningSchema).optional(),
}
const modes = {
  oneShot: { mode: z.literal('one-shot'), label: z.string().optional() },
  continuable: { mode: z.literal('continuable'), label: z.string() },
}
const diagnostic = {
  kind: z.literal('diagnostic'),
  id: sessionIdSchema,
  /** `unsupported` is kept for readers and never produced. */
  reason: z.enum(['corrupt', 'unsupported', 'unavailable']),
  detail: diagnosticDetailSchema.optional(),
  /** With `detail`, where they could be read. */
  label: z.string().optional(),
  title: z.string().optional(),
}
const place = { parentId: sessionIdSchema, depth: z.number().int().positive() }

/** One row of `listChildren`: a closed union on `kind` and, for children, on `mode`. */
export const subagentListEntrySchema = z.union([
  z.object({ ...child, ...modes.oneShot }),
  z.object({ ...child, ...modes.continuable }),
  z.object(diagnostic),
])
export type SubagentListEntry = z.infer<typeof subagentListEntrySchema>

/** The same row with its place: `depth` 1 is a direct child, sessions walked through count. */
export const subagentDescendantEntrySchema = z.union([
  z.object({ ...child, ...modes.oneShot, ...place }),
  z.object({ ...child, ...modes.continuable, ...place }),
  z.object({ ...diagnostic, ...place }),
])
export type SubagentDescendantEntry = z.infer<typeof subagentDescendantEntrySchema>

export const listExtraSchema = z.enum(['facts', 'warnings', 'detail'])
export type ListExtra = z.infer<typeof listExtraSchema>
