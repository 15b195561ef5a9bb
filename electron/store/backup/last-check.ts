import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writePrivately } from './copy-files.ts'

const WEEK_MS = 7 * 86_400_000
/** Reading so little is no work: it is done at every start. */
const SMALL_BYTES = 64 * 1024 * 1024

const schema = z.object({ at: z.number() })

export function noteSound(dataFolder: string, at: number): void {
  writePrivately(fileOf(dataFolder), JSON.stringify({ at }))
}

/**
 * Whether a start looks through the database: a small one always, a big one after a crash or when it was not found
 * sound within the last seven days.
 */
export function isCheckDue(
  dataFolder: string,
  facts: { readonly bytes: number; readonly afterCrash: boolean; readonly now: number },
): boolean {
  if (facts.bytes <= SMALL_BYTES || facts.afterCrash) return true
  const at = lastSound(dataFolder)
  return at === null || at > facts.now || facts.now - at > WEEK_MS
}

function lastSound(dataFolder: string): number | null {
  try {
    return schema.parse(JSON.parse(readFileSync(fileOf(dataFolder), 'utf8'))).at
  } catch {
    // Never checked, or a note that cannot be read: then it is checked.
    return null
  }
}

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'checked.json')
}
