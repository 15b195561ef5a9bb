import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { StoredEvent } from '#shared/session/events.ts'
import { sessionIdSchema } from '#shared/session/ids.ts'

/**
 * What a life says of itself while it lasts: a line of JSON each. Whatever is said here was promised to somebody,
 * and is held against the data folder after the death.
 */
const statementSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  /** The store answered that these events are durable: from `seq` on, by fingerprint. */
  z.object({
    kind: z.literal('saved'),
    session: sessionIdSchema,
    seq: z.number(),
    prints: z.array(z.string()),
  }),
  /** A message was taken: whoever sent it may go. */
  z.object({ kind: z.literal('message'), session: sessionIdSchema, messageId: z.string() }),
  /** The model was asked; what it was asked last holds this marker. */
  z.object({ kind: z.literal('asked'), marker: z.string() }),
  /** So many characters of an unfinished message are safe. */
  z.object({
    kind: z.literal('draft'),
    session: sessionIdSchema,
    messageId: z.string(),
    length: z.number(),
  }),
  /** The store has the first `size` bytes of an output. */
  z.object({ kind: z.literal('output'), session: sessionIdSchema, id: z.string(), size: z.number() }),
  /** Something failed that never may. */
  z.object({ kind: z.literal('fault'), what: z.string() }),
  /** The last words of a life that ends itself. */
  z.object({ kind: z.literal('dying'), at: z.string() }),
])
export type Statement = z.infer<typeof statementSchema>

export type Say = (statement: Statement) => void

/** Written before it returns, as long as standard output is a pipe on POSIX. */
export const say: Say = statement => {
  process.stdout.write(`${JSON.stringify(statement)}\n`)
}

/** `null` for a line that the death cut off: it promised nothing. */
export function readStatement(line: string): Statement | null {
  try {
    return statementSchema.parse(JSON.parse(line))
  } catch {
    // Not JSON, or not whole: the process died while it wrote it.
    return null
  }
}

/** Equal exactly for events that are the same in every byte. */
export function fingerprint({ seq, time, type, data, ignorable }: StoredEvent): string {
  const text = JSON.stringify([seq, time, type, data, ignorable === true])
  return createHash('sha256').update(text).digest('hex').slice(0, 20)
}
