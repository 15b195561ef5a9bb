import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export interface PrivateCopy {
  readonly folder: string
  remove(): void
}

/**
 * Copies files that can only be read where they are into a temporary folder of our own, closed to others. Never while
 * this process has one of them open: closing the copy's source would free its locks.
 * @throws Error of the file system, e.g. where there is no room; nothing is left behind then.
 */
export function copyPrivately(paths: readonly string[]): PrivateCopy {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-view-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    for (const path of paths) {
      if (existsSync(path)) copyFileSync(path, join(folder, basename(path)), constants.COPYFILE_FICLONE)
    }
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}
