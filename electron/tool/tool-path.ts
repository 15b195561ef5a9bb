import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorOutcome } from './outcome-text.ts'
import type { ToolOutcome } from './tool.ts'

const MAX_LINKS = 40

/**
 * Where `path` really is: symbolic links are followed, also those that lead nowhere yet, and what does not exist
 * is taken as written. Never throws: what cannot be looked at is taken as written too.
 */
export function realPath(cwd: string, path: string): string {
  return follow(resolve(cwd, path), 0)
}

function follow(path: string, links: number): string {
  const parent = dirname(path)
  if (parent === path || links > MAX_LINKS) return path
  const known = attempt(() => realpathSync.native(path))
  if (known !== null) return known
  const target = attempt(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null))
  const realParent = follow(parent, links)
  return target === null ? join(realParent, basename(path)) : follow(resolve(realParent, target), links + 1)
}

function attempt<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    // Missing, unreadable or not a path at all: the caller then takes it as written.
    return null
  }
}

/** Whether `path` is `folder` or below it. Both must be real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A call on `path` reaches outside `cwd`, by its words or through a symbolic link. */
export function leavesFolder(cwd: string, path: string): boolean {
  return !isInside(realPath(cwd, '.'), realPath(cwd, path))
}

/** How people and models read a path: relative with forward slashes inside the folder, else absolute. */
export function shownPath(cwd: string, path: string): string {
  const absolute = resolve(cwd, path)
  const shown = isInside(cwd, absolute) ? relative(cwd, absolute) || '.' : absolute
  return sep === '/' ? shown : shown.replaceAll(sep, '/')
}

/** The refusal for a session whose folder is gone, else `null`. */
export async function missingFolder(cwd: string): Promise<ToolOutcome | null> {
  const found = await stat(cwd).catch(() => null) // unreachable for whatever reason: it cannot be worked in
  if (found?.isDirectory() === true) return null
  const fix = 'Nothing can be read or run until it is back. Tell the person.'
  return errorOutcome(
    'FOLDER_MISSING',
    `The folder of this session, ${JSON.stringify(cwd)}, is missing. ${fix}`,
  )
}
