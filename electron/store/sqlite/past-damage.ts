import { isUnreadable } from '../backup/unreadable.ts'

/** Reads, and where the disk does not give what was written there, does with what `otherwise` can find. */
export type PastDamage = <T>(read: () => T, otherwise: () => T) => T

/** One damaged page costs what is on it, not the answer. `onDamage` is told each time it is met. */
export function pastDamage(onDamage: () => void): PastDamage {
  return (read, otherwise) => {
    try {
      return read()
    } catch (error) {
      if (!isUnreadable(error)) throw error
      onDamage()
      return otherwise()
    }
  }
}
