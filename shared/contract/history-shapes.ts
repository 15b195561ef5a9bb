import { z } from 'zod'
import { localIdSchema, sessionIdSchema } from '../session/ids.ts'

/** Bytes of an output, or characters of a text, that are read at a time. */
export const MOST_PART_LENGTH = 262_144

const range = {
  from: z.number().int().nonnegative(),
  /** Room for a character at least: reading always goes on. */
  length: z.number().int().min(4).max(MOST_PART_LENGTH),
}

/** A part of what a call put out. `id`: of `tool/result.output`, or of a call that was interrupted. */
export const outputRangeSchema = z.object({
  sessionId: sessionIdSchema,
  id: localIdSchema,
  ...range,
  as: z.enum(['text', 'bytes']).default('text'),
})

/** A part of a text of an event, which is read as its UTF-8 bytes. `path`: as in the event's `cut`. */
export const textRangeSchema = z.object({
  sessionId: sessionIdSchema,
  seq: z.number().int().nonnegative(),
  path: z.array(z.union([z.string(), z.number().int()])).max(201),
  ...range,
  as: z.enum(['text', 'bytes']).default('text'),
})

/**
 * `from` and `to` are bytes of the whole output, which has `size`. Text begins and ends between characters: read on at
 * `to`. Bytes that are no UTF-8 are U+FFFD in it.
 */
export const outputPartSchema = z.object({
  from: z.number().int(),
  to: z.number().int(),
  size: z.number().int(),
  part: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('bytes'), base64: z.string() }),
  ]),
})
export type OutputPart = z.infer<typeof outputPartSchema>
