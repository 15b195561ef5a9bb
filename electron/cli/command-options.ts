import { type Command, InvalidArgumentError } from 'commander'
import { isSessionId, type SessionId } from '#shared/session/ids.ts'

/** What every command takes. */
export interface CommonOptions {
  readonly home?: string
  readonly json?: true
}

export function addCommonOptions(command: Command, json: string): Command {
  return command.option('--home <folder>', 'the data folder').option('--json', json)
}

export function parseId(text: string): SessionId {
  if (isSessionId(text)) return text
  throw new InvalidArgumentError('This is not an id of a session.')
}

/** A parser of whole numbers from `least` on. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return text => {
    const value = Number(text)
    if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} on` : `${least} to ${most}`
    throw new InvalidArgumentError(`It takes a whole number from ${range}.`)
  }
}
