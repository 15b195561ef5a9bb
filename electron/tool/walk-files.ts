import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { extendChain, type IgnoreChain, ignoreChainFor, isIgnored, isSkippedFolder } from './ignored-files.ts'

export interface WalkedFile {
  readonly path: string
  /** From the walked folder on, with forward slashes. */
  readonly relative: string
  /** A symbolic link: it may lead anywhere, so it is named and never followed. */
  readonly isLink: boolean
}

/**
 * Files below `folder` in the order of their names, folder by folder, without what git ignores and without
 * dependencies. Links are not followed. A folder that cannot be read is left out, except `folder` itself, which rejects.
 * Ends early when `signal` is aborted.
 */
export async function* walkFiles(folder: string, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  yield* walk(folder, folder, await ignoreChainFor(folder), signal)
}

async function* walk(
  root: string,
  folder: string,
  chain: IgnoreChain,
  signal: AbortSignal,
): AsyncGenerator<WalkedFile> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (folder === root) throw error
    return [] // one unreadable folder costs its own files only
  })
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of sorted) {
    if (signal.aborted) return
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    if ((isFolder && isSkippedFolder(entry.name)) || isIgnored(chain, path, isFolder)) continue
    if (isFolder) yield* walk(root, path, await extendChain(chain, path), signal)
    else if (entry.isFile() || entry.isSymbolicLink()) {
      const way = relative(root, path).replaceAll(sep, '/')
      yield { path, relative: way, isLink: entry.isSymbolicLink() }
    }
  }
}
