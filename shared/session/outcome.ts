import { z } from 'zod'

/** Why a turn ended, as logged (contracts §1). */
export const turnEndReasonSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed') }),
  z.object({ kind: z.literal('aborted'), by: z.enum(['user', 'parent', 'disposed', 'limit']) }),
  z.object({ kind: z.literal('blocked') }),
  z.object({
    kind: z.literal('error'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
  }),
  z.object({ kind: z.literal('max-tokens') }),
  z.object({ kind: z.literal('interrupted') }),
])
export type TurnEndReason = z.infer<typeof turnEndReasonSchema>

/** Who ended a turn before its time. */
export type StopCause = Extract<TurnEndReason, { kind: 'aborted' }>['by']

/** What became of a session's latest turn (contracts §7). `null` stands for "never ran". */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('queued') }),
  z.object({ kind: z.literal('running') }),
  z.object({ kind: z.literal('waiting'), on: z.enum(['approval', 'children']) }),
  z.object({ kind: z.literal('completed') }),
  z.object({
    kind: z.literal('failed'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
  }),
  z.object({ kind: z.literal('cancelled'), by: z.enum(['user', 'parent', 'disposed']) }),
  z.object({ kind: z.literal('limited') }),
  z.object({ kind: z.literal('interrupted') }),
])
export type Outcome = z.infer<typeof outcomeSchema>

/**
 * The outcome of a session that no process hosts: what looks alive is over. An open question survives,
 * since deciding it resumes the child at that call (contracts §2, §6).
 */
export function coldOutcome(outcome: Outcome | null): Outcome | null {
  if (outcome?.kind === 'running') return { kind: 'interrupted' }
  if (outcome?.kind === 'waiting' && outcome.on === 'children') return { kind: 'interrupted' }
  return outcome
}
