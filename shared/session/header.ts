import { z } from 'zod'
import { sessionIdSchema } from './ids.ts'

/**
 * The immutable facts of a session, kept outside its log (contracts §1). There is deliberately no mode, label
 * or kind here: identity is the fold of `subagent/descriptor` alone.
 */
export const sessionHeaderSchema = z.strictObject({
  version: z.literal(1),
  id: sessionIdSchema,
  /** Epoch milliseconds. */
  createdAt: z.number().int().nonnegative(),
  cwd: z.string().optional(),
  parentSession: sessionIdSchema.optional(),
  /** Number of inherited events: own events start at this seq. */
  seedLength: z.number().int().nonnegative().optional(),
  origin: z.literal('subagent').optional(),
  delegationDepth: z.number().int().nonnegative().optional(),
  preset: z.string().min(1).optional(),
})
export type SessionHeader = z.infer<typeof sessionHeaderSchema>

/** The preset of sessions that another tool wrote: they can be read and forked, never prompted. */
export const IMPORTED_PRESET = 'imported'

/**
 * The seven facts that tell one life of an id from another (contracts §6.5), as one comparable string.
 * Checkpoints are bound to it; a cold read whose facts differ from the enumerated ones is `corrupt`.
 */
export function lifecycleFacts(header: SessionHeader): string {
  const { version, id, createdAt, cwd = null, parentSession = null } = header
  const { seedLength = null, delegationDepth = null } = header
  return JSON.stringify([version, id, createdAt, cwd, parentSession, seedLength, delegationDepth])
}
