import { z } from 'zod'
import { sessionIdSchema } from '../session/ids.ts'

/** What a file of a session's history holds and looks like. */
export const exportRequestSchema = z.object({
  sessionId: sessionIdSchema,
  /** With all its children, at any depth. */
  tree: z.boolean().default(false),
  format: z.enum(['md', 'html', 'jsonl']),
  /** Nothing is redacted: the file holds every secret that the log holds. */
  raw: z.boolean().default(false),
})
export type ExportRequest = z.infer<typeof exportRequestSchema>
export type ExportFormat = ExportRequest['format']

const exportRefSchema = z.object({ exportId: z.uuid() })

/** How far an export is. */
const progress = { sessions: z.number().int(), events: z.number().int() }

export const exportShapes = {
  request: exportRequestSchema,
  /** `sessions` and `events`: how much there is to write, as the records say. */
  started: exportRefSchema.extend({ label: z.string(), ...progress }),
  ref: exportRefSchema,
  /** The next part of the file; `done`: there is no further one. */
  part: z.object({ text: z.string(), ...progress, done: z.boolean() }),
}
export type ExportStarted = z.infer<typeof exportShapes.started>
export type ExportPart = z.infer<typeof exportShapes.part>
