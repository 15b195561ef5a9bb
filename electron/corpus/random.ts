import { v7 } from 'uuid'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'

/** Reproducible chance: the same seed gives the same corpus, ids included. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
  pick<T>(items: readonly T[]): T
  /** A UUIDv7 of that time. */
  sessionId(timeMs: number): SessionId
  /** For messages and calls: `<prefix>_` and twelve hexadecimal digits. */
  localId(prefix: string): string
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // Mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for made-up prose.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    pick<T>(items: readonly T[]): T {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('there is nothing to pick from')
      return item
    },
    sessionId: timeMs =>
      toSessionId(v7({ msecs: timeMs, seq: next() >>> 1, random: Uint8Array.from({ length: 16 }, next) })),
    localId: prefix => `${prefix}_${hex(next(), 8)}${hex(next() & 0xffff, 4)}`,
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
