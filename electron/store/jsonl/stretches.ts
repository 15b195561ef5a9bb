import { closeSync } from 'node:fs'
import type { LogIndex } from './log-index.ts'
import type { Place } from './log-units.ts'
import { openFile } from './side-files.ts'

/** What of a log is read at a time. */
export interface Stretch {
  readonly place: Place
  readonly to: number
  readonly firstRead: number
}

/**
 * The groups with the `limit` rows before `before`, `null` for none. How many of the last one’s rows are wanted is seen
 * when it is read: there may be one group more than needed.
 */
export function stretchBefore({ groups }: LogIndex, before: number, limit: number): Stretch | null {
  let at = groups.findLastIndex(({ seq }) => seq < before)
  const last = groups[at]
  if (last === undefined) return null
  for (let counted = 0; at > 0 && counted < limit; counted += groups[at]?.rows ?? 0) at -= 1
  const place = groups[at] ?? last
  return { place, to: last.to, firstRead: last.to - place.at }
}

/** The file stays open for as long as its units are asked for. */
export function* withOpenFile<T>(path: string, work: (fd: number) => Generator<T, void>): Generator<T, void> {
  const fd = openFile(path, 'read')
  try {
    yield* work(fd)
  } finally {
    closeSync(fd)
  }
}
