import { randomUUID } from 'node:crypto'
import { ORPCError } from '@orpc/server'
import { WorkbenchError } from '#shared/errors.ts'
import type { Log } from '../log.ts'

/**
 * What a window is told of a failure: code and sentence of one that callers may branch on; anything else is
 * `INTERNAL` with an incident id that is found in the log, never a stack or a path (contracts §9).
 */
export function toWireError(
  error: unknown,
  log: Log,
  signal: AbortSignal | undefined,
): ORPCError<string, unknown> {
  if (error instanceof ORPCError) return error
  if (error instanceof WorkbenchError && error.code !== 'SUBAGENT_CONTROL_SESSION_STORE_UNAVAILABLE') {
    return new ORPCError(error.code, { message: error.message, data: {} })
  }
  if (signal?.aborted) return new ORPCError('CANCELLED', { message: 'The request was cancelled.', data: {} })
  const incident = randomUUID().slice(0, 8)
  log.error(`Incident ${incident}`, error)
  const message = `Something went wrong inside Espalier (incident ${incident} in its log).`
  return new ORPCError('INTERNAL', { message, data: { incident } })
}
