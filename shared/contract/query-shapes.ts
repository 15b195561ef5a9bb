import { z } from 'zod'
import { storedEventSchema } from '../session/events.ts'
import { sessionIdSchema } from '../session/ids.ts'

/** One session of a lineage. `root`: nobody above it is known. */
const traceStepSchema = z.object({
  id: sessionIdSchema,
  relation: z.enum(['root', 'subagent', 'fork']),
  /** Events below this seq were inherited from the session above. */
  seedLength: z.number().int(),
})
export type TraceStep = z.infer<typeof traceStepSchema>

/** Where a stretch of a log was first written: `from` to, not including, `to`; `null`: to the log's end. */
const originSchema = z.object({
  sessionId: sessionIdSchema,
  from: z.number().int(),
  to: z.number().int().nullable(),
})
export type Origin = z.infer<typeof originSchema>

export const queryShapes = {
  trace: z.object({
    /** From the top down to the session itself. */
    steps: z.array(traceStepSchema),
    /** In order of seq, without empty stretches. */
    origins: z.array(originSchema),
  }),
  range: z.object({
    sessionId: sessionIdSchema,
    from: z.number().int().nonnegative(),
    limit: z.number().int().min(1).max(1000).default(200),
  }),
  events: z.object({ events: z.array(storedEventSchema) }),
}
export type Trace = z.infer<typeof queryShapes.trace>
