import type { Dirent } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { messageOf } from '#shared/errors.ts'

export interface Skipped {
  readonly path: string
  readonly reason: string
}

/** By name. A folder that cannot be read has none and is added to `skipped`. */
export async function entriesOf(folder: string, skipped: Skipped[]): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    skipped.push({ path: folder, reason: `the folder could not be read: ${messageOf(error)}` })
    return []
  }
}

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    // As for folders.
    return false
  }
}

/** Where `path` really is: the tool's own folders may be links. `null`: nowhere. */
export async function placeOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch {
    // Absent: the folder is of another shape.
    return null
  }
}

/** Not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    // Absent or out of reach: then it is no folder we can use.
    return false
  }
}
