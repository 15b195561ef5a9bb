import { z } from 'zod'
import { storedApprovalModeSchema } from './approval-mode.ts'
import { assistantContentSchema, contentSchema } from './content.ts'
import { localIdSchema, sessionIdSchema } from './ids.ts'
import { turnEndReasonSchema } from './outcome.ts'

/** Tokens of one model request. `costUsd` is left out when the price is unknown: unknown is not zero. */
export const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  reasoning: z.number().optional(),
  costUsd: z.number().optional(),
  /** The request was cut short and reported nothing: this is what it was probably charged. */
  estimated: z.literal(true).optional(),
})
export type Usage = z.infer<typeof usageSchema>

/** Where requests go. `effort` is the provider's own word. */
export const modelRouteSchema = z.object({
  provider: z.string(),
  model: z.string(),
  effort: z.string().optional(),
})
export type ModelRoute = z.infer<typeof modelRouteSchema>

/** Who put a message into a session. `from` is the sending session, where there is one. */
export const messageSourceSchema = z.object({
  kind: z.enum(['person', 'parent', 'settlement', 'report', 'context']),
  from: sessionIdSchema.optional(),
})
export type MessageSource = z.infer<typeof messageSourceSchema>

const callSchema = z.object({ turn: z.number(), step: z.number(), callId: localIdSchema })

/** What a call asks to do: reading is free, the rest may need a person's word. */
export const toolClassSchema = z.enum(['read', 'write', 'shell', 'network', 'delegate', 'state'])
export type ToolClass = z.infer<typeof toolClassSchema>

export const todoSchema = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
})
export type Todo = z.infer<typeof todoSchema>

/**
 * What a call put out, where its result shows only the ends of it: kept beside the log, read in parts by its `id`, which
 * is that of the call. `bytes` are kept; `complete: false`: there were more. `lines`: of a text.
 */
export const outputRefSchema = z.object({
  id: localIdSchema,
  bytes: z.number(),
  lines: z.number().optional(),
  binary: z.literal(true).optional(),
  complete: z.literal(false).optional(),
})
export type OutputRef = z.infer<typeof outputRefSchema>

/** Answers to an approval; `scope` is where an `allow` holds: this call, this tree, this folder, every folder. */
export const approvalDecisionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow'), scope: z.enum(['once', 'session', 'workspace', 'always']) }),
  z.object({ kind: z.literal('deny'), reason: z.string().optional() }),
  z.object({ kind: z.literal('expired') }),
])
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>

export const childOutcomeSchema = z.enum(['completed', 'failed', 'stopped', 'limited', 'interrupted'])
export type ChildOutcome = z.infer<typeof childOutcomeSchema>

/**
 * The data of every event Espalier writes. The one list: folds, the loop, importers and the window all take
 * their types from here. Events that carry state carry the whole new value, never a delta (contracts §1).
 */
const eventDataSchemas = {
  /** `turn` counts from 1 and goes on after an inherited prefix. */
  'turn/start': z.object({ turn: z.number() }),
  'turn/end': z.object({ turn: z.number(), reason: turnEndReasonSchema }),
  'step/start': z.object({ turn: z.number(), step: z.number() }),
  'step/end': z.object({ turn: z.number(), step: z.number() }),
  'user/message': z.object({ id: localIdSchema, source: messageSourceSchema, content: contentSchema }),
  'assistant/message': z.object({
    id: localIdSchema,
    turn: z.number(),
    step: z.number(),
    content: assistantContentSchema,
    /** `null`: the provider reported none (a stopped call). */
    usage: usageSchema.nullable(),
    model: modelRouteSchema.nullable(),
    /** The stream ended before the message did: this is its prefix. */
    interrupted: z.literal(true).optional(),
  }),
  /** Logged right before the tool's body runs, after any approval. `childId`: the child that it starts. */
  'tool/call': callSchema.extend({
    name: z.string(),
    input: z.json(),
    childId: sessionIdSchema.optional(),
    background: z.boolean().optional(),
  }),
  'tool/result': callSchema.extend({
    name: z.string(),
    status: z.enum(['ok', 'error']),
    /** Why there is no ordinary result: `TOOL_NOT_STARTED`, `TOOL_OUTCOME_UNKNOWN`, `DENIED`, `CANCELLED`… */
    code: z.string().optional(),
    content: contentSchema,
    durationMs: z.number().optional(),
    /** A few words for the folded line: "412 lines", "9 matches in 4 files". */
    summary: z.string().optional(),
    /** Files this call changed, relative to the folder of the session where they are inside it. */
    files: z.array(z.string()).optional(),
    /** A unified diff of the change. */
    diff: z.string().optional(),
    exitCode: z.number().nullable().optional(),
    output: outputRefSchema.optional(),
    /** For a call that waited for a child: seq of the child's `turn/end` that this result tells. */
    childSeq: z.number().optional(),
  }),
  'request/header': z.object({
    route: modelRouteSchema,
    system: z.string(),
    tools: z.array(z.string()),
  }),
  'model/changed': z.object({ route: modelRouteSchema, by: z.enum(['person', 'parent']) }),
  /** `allow`: every class runs unasked. Fixed for a child at its creation (contracts §7). */
  'approval/policy': z.object({ mode: storedApprovalModeSchema }),
  'approval/asked': callSchema.extend({
    approvalId: localIdSchema,
    name: z.string(),
    toolClass: toolClassSchema,
    input: z.json(),
    /** What an *always* answer would cover: "shell: npm test". */
    pattern: z.string(),
  }),
  'approval/decided': z.object({
    approvalId: localIdSchema,
    callId: localIdSchema,
    decision: approvalDecisionSchema,
    by: z.enum(['person', 'rule']),
  }),
  'inbox/queued': z.object({
    messageId: localIdSchema,
    mode: z.enum(['queue', 'steer']),
    source: messageSourceSchema,
    content: contentSchema,
  }),
  'inbox/claimed': z.object({ messageIds: z.array(localIdSchema) }),
  'inbox/cancelled': z.object({ messageIds: z.array(localIdSchema), by: z.enum(['person', 'parent']) }),
  'todo/write': z.object({ items: z.array(todoSchema) }),
  'session/title': z.object({ title: z.string(), source: z.enum(['person', 'model', 'import', 'fork']) }),
  /** The inherited prefix ends here; `seq + 1` of it is the first own event. */
  'session/end-seed': z.object({ source: sessionIdSchema }),
  'compaction/start': z.object({ reason: z.string() }),
  /** Shadows the events from `fromSeq` to `toSeq` (both included) for the model; deletes nothing. */
  'compaction/summary': z.object({ fromSeq: z.number(), toSeq: z.number(), summary: z.string() }),
  'compaction/end': z.object({}),
  'llm/retry': z.object({ attempt: z.number(), delayMs: z.number(), code: z.string(), message: z.string() }),
  /** Read only through `parseDescriptor`: whatever is in it, it decides the identity (contracts §7). */
  'subagent/descriptor': z.unknown(),
  /** In the parent's log: the child's end was delivered. `childSeq` is the child's `turn/end`: the exactly-once key. */
  'subagent/settled': z.object({
    childId: sessionIdSchema,
    childSeq: z.number(),
    label: z.string(),
    outcome: childOutcomeSchema,
    text: z.string(),
  }),
  'subagent/report': z.object({ childId: sessionIdSchema, label: z.string(), output: z.string() }),
  /** First event of an imported session: where it came from. */
  'import/source': z.object({
    tool: z.string(),
    path: z.string(),
    sourceId: z.string(),
    toolVersion: z.string().optional(),
  }),
  /** A line of an imported history that has no counterpart, kept whole. */
  'import/raw': z.object({ lineType: z.string(), line: z.number(), value: z.json() }),
} as const

export type EventType = keyof typeof eventDataSchemas
export type EventData<T extends EventType> = z.infer<(typeof eventDataSchemas)[T]>

/**
 * A text that was shortened on its way to a window: where it is in `data`, and how long it is in UTF-8. Its whole is read
 * in parts.
 */
export const cutTextSchema = z.object({
  path: z.array(z.union([z.string(), z.number().int()])),
  bytes: z.number(),
})
export type CutText = z.infer<typeof cutTextSchema>

/** Seq is dense from 0; `time` is epoch milliseconds and may step back. `ignorable`: old readers may skip it. */
interface Envelope<T extends string, D> {
  readonly seq: number
  readonly time: number
  readonly type: T
  readonly data: D
  readonly ignorable?: true | undefined
  /** On the wire only, never stored: something of `data` is missing, among it these. */
  readonly cut?: readonly CutText[] | undefined
}

/** An event as stored: any type, unchecked data. What disk and wire hold. */
export type StoredEvent = Envelope<string, unknown>
export type EventOf<T extends EventType> = Envelope<T, EventData<T>>
export type SessionEvent = { [T in EventType]: EventOf<T> }[EventType]

/** An event before the log gave it seq and time. */
export type NewEvent = { [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType]

export const storedEventSchema = z.object({
  seq: z.number().int().nonnegative(),
  time: z.number(),
  type: z.string(),
  data: z.unknown(),
  ignorable: z.literal(true).optional(),
  cut: z.array(cutTextSchema).readonly().optional(),
})

/** Every type that this version knows. */
export const EVENT_TYPES: readonly string[] = Object.keys(eventDataSchemas)

export function isKnownType(type: string): type is EventType {
  return Object.hasOwn(eventDataSchemas, type)
}

/** The event with checked data, or `null` for an unknown type or data that a writer of ours never wrote. */
export function readEvent(stored: StoredEvent): SessionEvent | null {
  if (!isKnownType(stored.type)) return null
  const parsed = eventDataSchemas[stored.type].safeParse(stored.data)
  return parsed.success ? ({ ...stored, data: parsed.data } as SessionEvent) : null
}
