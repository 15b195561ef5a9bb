import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from './copy-files.ts'
import { damagedFolder, makePrivate } from './places.ts'

/*
 * Damage that was met while the sessions were in use. It is rescued at the next start, when nobody uses them: this note
 * survives until then, also where the database itself can no longer be written to.
 */

export function noteDamage(dataFolder: string, cause: string): void {
  makePrivate(damagedFolder(dataFolder))
  writePrivately(noteFile(dataFolder), cause)
}

/** What was found, `null` when nothing was. */
export function foundDamage(dataFolder: string): string | null {
  try {
    return readFileSync(noteFile(dataFolder), 'utf8')
  } catch {
    // No note, or one that cannot be read: opening the database says whether it is damaged.
    return null
  }
}

export function forgetDamage(dataFolder: string): void {
  rmSync(noteFile(dataFolder), { force: true })
}

function noteFile(dataFolder: string): string {
  return join(damagedFolder(dataFolder), 'found.txt')
}
