import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/** Folders that no search enters unless it starts inside them. */
const SKIPPED = new Set(['.git', 'node_modules', '.hg', '.svn', '.jj'])
const MAX_LEVELS = 30

/** One .gitignore and the folder it speaks for. */
interface Rules {
  readonly folder: string
  readonly matcher: Ignore
}

/** What the .gitignore files from the root of the repository down to one folder say. */
export type IgnoreChain = readonly Rules[]

export function isSkippedFolder(name: string): boolean {
  return SKIPPED.has(name)
}

/** The rules above and in `folder`. Outside a repository only those of `folder` itself count. */
export async function ignoreChainFor(folder: string): Promise<IgnoreChain> {
  const above: string[] = []
  for (let at = folder; above.length < MAX_LEVELS; at = dirname(at)) {
    above.unshift(at)
    if (await exists(join(at, '.git'))) return chainOf(above)
    if (dirname(at) === at) break
  }
  return chainOf([folder])
}

export async function extendChain(chain: IgnoreChain, folder: string): Promise<IgnoreChain> {
  // A missing or unreadable .gitignore ignores nothing.
  const text = await readFile(join(folder, '.gitignore'), 'utf8').catch(() => null)
  return text === null ? chain : [...chain, { folder, matcher: ignore().add(text) }]
}

/** The deepest file with something to say decides, as in git. */
export function isIgnored(chain: IgnoreChain, path: string, isFolder: boolean): boolean {
  for (const { folder, matcher } of chain.toReversed()) {
    const way = relative(folder, path).replaceAll(sep, '/')
    const verdict = matcher.test(isFolder ? `${way}/` : way)
    if (verdict.ignored) return true
    if (verdict.unignored) return false
  }
  return false
}

/** A search that starts inside an ignored folder was asked for: nothing above has a say in it. */
async function chainOf(folders: readonly string[]): Promise<IgnoreChain> {
  let chain: IgnoreChain = []
  for (const folder of folders) {
    const asked = isSkippedFolder(basename(folder)) || isIgnored(chain, folder, true)
    chain = await extendChain(asked ? [] : chain, folder)
  }
  return chain
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false, // missing or unreachable: no repository starts here
  )
}
