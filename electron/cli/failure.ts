import { ORPCError } from '@orpc/client'
import { CommanderError } from 'commander'
import { messageOf } from '#shared/errors.ts'
import { plainLine } from './plain-text.ts'

/** Something asked for could not be done: one sentence on stderr, exit code 1. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure'
}

/** The command was used wrongly: exit code 2. */
export class UsageFailure extends CommandFailure {
  override readonly name = 'UsageFailure'
}

export function hasWireCode(error: unknown, code: string): boolean {
  return error instanceof ORPCError && error.code === code
}

export interface Ending {
  readonly exitCode: number
  /** One sentence; empty when there is nothing to add. */
  readonly sentence: string
}

/** What a failure means for whoever ran the command. */
export function endingOf(error: unknown): Ending {
  // Commander has said what is wrong already.
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : 2, sentence: '' }
  return { exitCode: error instanceof UsageFailure ? 2 : 1, sentence: plainLine(messageOf(error)) }
}
