import { z } from 'zod'
import { bannerSchema } from './banner.ts'
import { storedEventSchema } from './session/events.ts'
import { sessionHeaderSchema } from './session/header.ts'
import { localIdSchema, sessionIdSchema } from './session/ids.ts'
import { type Json, lossOf } from './session/json.ts'
import { activitySchema } from './subagent/catalog-entry.ts'

const of = { sessionId: sessionIdSchema }
const value = z.custom<Json>(candidate => lossOf(candidate) === null, 'not plain JSON')

/** One published projection value. Higher `seq` wins per session and key; equal or lower is dropped. */
const projectionFrameSchema = z.object({
  kind: z.literal('projection'),
  ...of,
  key: z.string(),
  /** `null`: no value, also where the unit that makes it is quarantined. Never left out. */
  value,
  seq: z.number().int(),
})

/** What the host pushes to a window (contracts §4), in order within a batch. */
export const frameSchema = z.discriminatedUnion('kind', [
  projectionFrameSchema,
  /** All values of a session as of one seq. It replaces what the window holds, whatever its seq; a missing key clears. */
  z.object({
    kind: z.literal('snapshot'),
    ...of,
    asOfSeq: z.number().int(),
    values: z.record(z.string(), value),
  }),
  /** A session that the window lists: a new root, or a new child of a parent whose children it shows. */
  z.object({ kind: z.literal('added'), header: sessionHeaderSchema }),
  z.object({ kind: z.literal('removed'), ...of }),
  /** Put away, or taken back, with everything delegated below it. */
  z.object({ kind: z.literal('archived'), ...of, archived: z.boolean() }),
  /** Residency at this moment: neither outcome nor promise. */
  z.object({ kind: z.literal('activity'), ...of, activity: activitySchema }),
  /** Descendants that run and that wait for a person, at any depth. */
  z.object({ kind: z.literal('rollup'), ...of, running: z.number(), waiting: z.number() }),
  /** Committed events of an open session, in order. */
  z.object({ kind: z.literal('events'), ...of, events: z.array(storedEventSchema) }),
  /**
   * Not all events of an open session come by frame: those below `endSeq` that the window does not have are read
   * again. `fromSeq` is the first that was left out.
   */
  z.object({ kind: z.literal('behind'), ...of, fromSeq: z.number().int(), endSeq: z.number().int() }),
  /** Streamed text of the open message of an open session: `text` goes at `offset` of that part. Never authoritative. */
  z.object({
    kind: z.literal('text'),
    ...of,
    messageId: localIdSchema,
    part: z.enum(['text', 'reasoning']),
    offset: z.number().int(),
    text: z.string(),
  }),
  /** The open message is over: its finished form is in the log, or there is none. */
  z.object({ kind: z.literal('text-end'), ...of, messageId: localIdSchema }),
  /** A state of the host that people must know, `null` when it is over. One at a time per id. */
  z.object({
    kind: z.literal('banner'),
    id: z.string(),
    banner: bannerSchema.nullable(),
  }),
])
export type Frame = z.infer<typeof frameSchema>

/**
 * `batch` counts from 1 within a subscription; the next batch comes when this one is acknowledged. Frames are checked
 * one by one, where they are made and where they are taken, so that a bad one is skipped and does not end the stream.
 */
export const frameBatchSchema = z.object({ batch: z.number().int(), frames: z.array(z.custom<Frame>()) })
export type FrameBatch = z.infer<typeof frameBatchSchema>

/** What a window looks at: `open` sessions get events and text, `listed` parents get their children's frames. Roots always do. */
export const watchSchema = z.object({
  open: z.array(sessionIdSchema).max(50),
  listed: z.array(sessionIdSchema).max(5000),
})
export type Watch = z.infer<typeof watchSchema>
