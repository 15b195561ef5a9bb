import { messageOf } from '../errors.ts'
import { type Json, seal } from '../session/json.ts'

/** Plain JSON, frozen through: others may hold it. @throws Error naming what JSON would lose. */
export function kept(value: unknown): Json {
  try {
    return seal(value) as Json
  } catch (error) {
    throw new Error(`not plain JSON: ${messageOf(error)}`, { cause: error })
  }
}
