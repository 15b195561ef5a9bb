import { z } from 'zod'
import { approvalModeSchema } from '../session/approval-mode.ts'
import { modelRouteSchema, storedEventSchema } from '../session/events.ts'
import { sessionHeaderSchema } from '../session/header.ts'
import { sessionIdSchema } from '../session/ids.ts'
import { damageSchema } from '../session/inspection.ts'
import { activitySchema, sessionFactsSchema } from '../subagent/catalog-entry.ts'

/** A root session as the sidebar lists it. */
export const sessionSummarySchema = z.object({
  header: sessionHeaderSchema,
  title: z.string().nullable(),
  activity: activitySchema,
  hasChildren: z.boolean(),
  archived: z.boolean(),
  facts: sessionFactsSchema,
  /** Descendants, at any depth, that run now and that wait for a person. */
  rollup: z.object({ running: z.number(), waiting: z.number() }),
})
export type SessionSummary = z.infer<typeof sessionSummarySchema>

/** A record whose header cannot be read: it is nobody's child, and is shown all the same. */
export const unreadableSessionSchema = z.object({ id: z.string(), problem: z.string() })
export type UnreadableSession = z.infer<typeof unreadableSessionSchema>

/** What the composer of a session may do. */
export const accessSchema = z.discriminatedUnion('kind', [
  /** A message starts a turn, or is queued. */
  z.object({ kind: z.literal('open') }),
  /** A message resumes it with what its own record says. */
  z.object({
    kind: z.literal('resumable'),
    restores: z.object({
      route: modelRouteSchema.nullable(),
      tools: z.array(z.string()),
      persona: z.string().nullable(),
      cwd: z.string().nullable(),
      approvalMode: approvalModeSchema,
    }),
    /** What cannot be restored: sending is refused with this reason. */
    problem: z.string().nullable(),
  }),
  /** `reason` is a sentence. `canFork`: "Continue in a new session" works. */
  z.object({ kind: z.literal('read-only'), reason: z.string(), canFork: z.boolean() }),
])
export type Access = z.infer<typeof accessSchema>

const lineageStepSchema = z.object({
  id: sessionIdSchema,
  label: z.string(),
  origin: z.literal('subagent').optional(),
})

/** One session in full: what its page shows beside the history. */
export const sessionDetailSchema = z.object({
  header: sessionHeaderSchema,
  /** A root's title, a child's label, else the short id. */
  label: z.string(),
  mode: z.enum(['session', 'one-shot', 'continuable']).nullable(),
  activity: activitySchema,
  archived: z.boolean(),
  access: accessSchema,
  /** From the root down to this session. */
  lineage: z.array(lineageStepSchema),
  hasChildren: z.boolean(),
  descendants: z.object({ total: z.number(), running: z.number(), waiting: z.number() }),
  facts: sessionFactsSchema,
})
export type SessionDetail = z.infer<typeof sessionDetailSchema>

export const projectionSnapshotSchema = z.object({
  asOfSeq: z.number().int(),
  values: z.record(z.string(), z.json()),
  faults: z.array(z.object({ key: z.string(), message: z.string() })),
})

/** A page of a log, in order. `nextBefore` asks for the page above it; `null` at the log's start. */
export const historyPageSchema = z.object({
  events: z.array(storedEventSchema),
  nextBefore: z.number().int().nullable(),
  /** Seq after the last event of the log as of this read. */
  endSeq: z.number().int(),
  /** Events below this seq were inherited. */
  seedLength: z.number().int(),
  live: z.boolean(),
  /** With the tail page, as far as checkpoints and the tail give it. */
  snapshot: projectionSnapshotSchema.nullable(),
  damage: z.array(damageSchema),
})
export type HistoryPage = z.infer<typeof historyPageSchema>

/** What is known of a damaged record, as of this look. */
export const recordReportSchema = z.object({
  id: sessionIdSchema,
  header: sessionHeaderSchema.nullable(),
  parentLabel: z.string().nullable(),
  /** Events that could be read, and how many the record says it has. */
  readable: z.number(),
  stated: z.number(),
  damage: z.array(damageSchema),
  faults: z.array(z.object({ key: z.string(), message: z.string() })),
  lastReadable: storedEventSchema.nullable(),
  /** Rows as stored, undecoded, around the first damage; at most 200. */
  raw: z.array(z.object({ seq: z.number(), type: z.string(), text: z.string() })),
})
export type RecordReport = z.infer<typeof recordReportSchema>
