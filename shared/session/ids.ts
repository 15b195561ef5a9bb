import { z } from 'zod'

/** Contracts §1: safe as a file name, a wire value and a deep link. Checked at every border. */
const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const sessionIdSchema = z.string().regex(ID_PATTERN).brand<'SessionId'>()
export type SessionId = z.infer<typeof sessionIdSchema>

/** Ids of messages, tool calls and approvals; those of models may be any text. */
export const localIdSchema = z.string().min(1).max(256)

export function isSessionId(value: unknown): value is SessionId {
  return typeof value === 'string' && ID_PATTERN.test(value)
}

/** @throws ZodError when `value` is not a session id. */
export function toSessionId(value: string): SessionId {
  return sessionIdSchema.parse(value)
}

/**
 * What a row shows of an id that has no label. The first group of a UUID; of a UUIDv7 that group is the
 * time, so the last eight characters tell siblings apart better.
 */
export function shortId(id: string): string {
  return id.length <= 12 ? id : id.slice(-8)
}
