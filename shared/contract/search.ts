import { z } from 'zod'
import { sessionIdSchema } from '../session/ids.ts'

/** Who said what was found. `record`: nobody, it is a fact of the session, such as its title. */
export const HIT_AUTHORS = [
  'person',
  'parent',
  'settlement',
  'report',
  'context',
  'agent',
  'tool',
  'record',
] as const
export type HitAuthor = (typeof HIT_AUTHORS)[number]

/** One event in which all of it was found. */
export const searchHitSchema = z.object({
  sessionId: sessionIdSchema,
  seq: z.number().int(),
  /** Epoch milliseconds. */
  time: z.number(),
  type: z.string(),
  author: z.enum(HIT_AUTHORS),
  /** One line of the text around the first place; `ranges`: begin and end of what was asked for, in UTF-16 units. */
  excerpt: z.object({ text: z.string(), ranges: z.array(z.tuple([z.number().int(), z.number().int()])) }),
  /** A root's title, a child's label, else the short id. */
  label: z.string(),
  /** The session at the top of the tree. */
  rootId: sessionIdSchema,
})
export type SearchHit = z.infer<typeof searchHitSchema>

/** How far the index is. It is made in the background and answers from what it has. */
export const searchStatusSchema = z.object({
  /** `paused`: it cannot be written at the moment. `unavailable`: there is none to search in. */
  state: z.enum(['building', 'ready', 'paused', 'unavailable']),
  indexedEvents: z.number().int(),
  totalEvents: z.number().int(),
  /** Everything that is logged is in it. */
  done: z.boolean(),
  /** Why it is `paused` or `unavailable`: a sentence. */
  problem: z.string().nullable(),
})
export type SearchStatus = z.infer<typeof searchStatusSchema>

export const searchShapes = {
  request: z.object({
    /** Words, all of which must be there, and "phrases in quotes". No other sign means anything. */
    text: z.string().max(1000),
    limit: z.number().int().min(1).max(200).default(50),
    /** `next` of an earlier answer to the same text. */
    cursor: z.string().max(40).optional(),
    /** Only in this session and everything below it. */
    within: sessionIdSchema.optional(),
  }),
  answer: z.object({
    hits: z.array(searchHitSchema),
    /** Asks for what comes behind these; `null`: that was all. */
    next: z.string().nullable(),
    status: searchStatusSchema,
  }),
}
export type SearchRequest = z.infer<typeof searchShapes.request>
export type SearchAnswer = z.infer<typeof searchShapes.answer>
